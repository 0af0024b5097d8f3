import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { RefusedOperation } from '../call-graphql.ts'
import type { CheckedFile } from '../file/file-check.ts'
import type { AppLine } from '../file/file-lines.ts'
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
  /** Says in the audit trail where the people come from. */
  source: string
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
  const { file, merged, source, team, api } = options
  await ensureApp(file, team, api)
  const imports = new Map<string, Import>()
  for (const [name, action] of file.actions)
    imports.set(name, await api.startImport(file.app.id, action, source))
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

/** Creates the app if the platform has none with this id. The app of another team is an error. */
async function ensureApp({ app }: CheckedFile, team: string, api: OperatorApi) {
  const stored = (await api.findApp(app.id)) ?? (await createApp(app, team, api))
  if (stored.team.id !== team)
    throw new Error(
      `The app ${app.id} belongs to the team ${stored.team.id} on this platform; --team says ${team}.`,
    )
}

/** Creates the app, or finds the app that a request with a lost response or another import has just created. */
async function createApp(app: AppLine, team: string, api: OperatorApi) {
  try {
    await api.createApp(app, team)
    return { team: { id: team } }
  } catch (fault) {
    const stored = fault instanceof RefusedOperation ? await api.findApp(app.id) : undefined
    if (stored === undefined) throw fault
    return stored
  }
}
