import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { CheckedFile } from '../file/file-check.ts'
import type { MergedUses } from '../file/merge-repeated.ts'
import type { MissingUses } from '../file/uses-of.ts'
import { formatNotes, formatNumber, formatTable, nameOfAction } from '../format-totals.ts'
import type { Import, OperatorApi } from './operator-api.ts'
import { sendPeople } from './send-people.ts'

type Options = {
  path: string
  file: CheckedFile
  merged: MergedUses
  missingUses: MissingUses | undefined
  team: string
  api: OperatorApi
  report: (message: string) => void
}

/**
 * Imports a checked file: the app, its actions, and their people. Then compares the totals of each action.
 *
 * @returns a table of the totals at both ends
 * @throws an error with the totals if an action's differ
 */
export async function importFile(options: Options): Promise<string> {
  const { file, merged, team, api } = options
  await ensureApp(file, team, api)
  const imports = new Map<string, Import>()
  for (const [name, { line }] of file.actions)
    imports.set(name, await api.startImport(file.app.id, line))
  await sendPeople({ ...options, imports })
  const rows = [['action', 'people: file', 'here', 'uses: file', 'here', 'people above the limit']]
  for (const [name, action] of file.actions) {
    const { action_id } = requireValue(imports.get(name), 'the import')
    const finished = await api.finishImport(action_id, action.people, action.uses)
    const totals = [action.people, finished.people, action.uses, finished.uses]
    rows.push([nameOfAction(name), ...[...totals, finished.people_above_limit].map(formatNumber)])
  }
  return [...formatTable(rows), ...formatNotes(file, merged), 'Both ends are equal.'].join('\n')
}

async function ensureApp({ app }: CheckedFile, team: string, api: OperatorApi) {
  const stored = await api.findApp(app.id)
  if (stored === undefined) return api.createApp(app, team)
  if (stored.team.id !== team)
    throw new Error(
      `The app ${app.id} belongs to the team ${stored.team.id} on this platform; --team says ${team}.`,
    )
}
