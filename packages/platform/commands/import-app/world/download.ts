import { appendFile } from 'node:fs/promises'
import { type ActionLine, type AppLine, parseFileLine } from '../file/file-lines.ts'
import { type Progress, readProgress } from './read-progress.ts'
import type { WorldAction, WorldApi } from './world-api.ts'

type Options = { path: string; appId: string; world: WorldApi; report: (message: string) => void }

/**
 * Downloads an app with its actions and people from World's service into a file. Continues a file that an interrupted download
 * has left, and leaves a complete file alone. Only the owner can read the file.
 *
 * @throws an error if people or actions were added at World during the download
 */
export async function download({ path, appId, world, report }: Options): Promise<void> {
  const progress = await readProgress(path)
  if (progress.isComplete) return report(`${path} is complete.`)
  const actions = await world.readActions(appId)
  await writeHead(path, progress, { app: await readApp(world, appId), actions })
  let total = 0
  for (const action of actions) {
    const people = await downloadPeople(path, progress, { action, world })
    total += people
    report(`"${action.action}": ${people.toLocaleString('en')} people downloaded.`)
    if (!(await world.hasExactly(action.id, people)))
      throw new Error(
        `World has more or fewer than the ${people} people of the action "${action.action}" that were downloaded. ` +
          `Stop its verifications at World, delete ${path}, and download again.`,
      )
  }
  await append(path, [{ type: 'end', people: total }])
}

async function readApp(world: WorldApi, appId: string): Promise<AppLine> {
  const app = await world.findApp(appId)
  if (app === undefined)
    throw new Error(
      `World's service has no app ${appId} for this API key. Use a key of the app's team.`,
    )
  return { type: 'app', id: app.id, name: app.name || app.id, is_staging: app.is_staging }
}

/** Writes the lines of the app and its actions, or compares them with the lines of an earlier download. */
async function writeHead(
  path: string,
  progress: Progress,
  { app, actions }: { app: AppLine; actions: readonly WorldAction[] },
) {
  const lines = actions.map(lineOfAction)
  if (progress.app === undefined) return append(path, [app, ...lines])
  // An interruption may have left only some of these lines.
  const written = JSON.stringify([progress.app, ...progress.actions])
  const current = JSON.stringify([app, ...lines].slice(0, progress.actions.length + 1))
  if (written !== current || (progress.people.size > 0 && lines.length > progress.actions.length))
    throw new Error(
      `The app or its actions at World differ from the lines of ${path}. Delete the file, and download again.`,
    )
  await append(path, lines.slice(progress.actions.length))
}

/** Appends the people of an action that the file does not have, and returns the number of all its people. */
async function downloadPeople(
  path: string,
  progress: Progress,
  { action, world }: { action: WorldAction; world: WorldApi },
): Promise<number> {
  let { count, lastId } = progress.people.get(action.action) ?? { count: 0, lastId: '' }
  for (;;) {
    const page = await world.readPeople(action.id, lastId)
    const last = page.at(-1)
    if (last === undefined) return count
    const people = page.map((person) => ({ type: 'person', action: action.action, ...person }))
    await append(path, people)
    count += page.length
    lastId = last.id
  }
}

/** Returns the line of an action as the file's reader returns it, so that the two can be compared. */
function lineOfAction({ id, status, ...action }: WorldAction): ActionLine {
  const text = JSON.stringify({ type: 'action', ...action, id, status })
  const line = parseFileLine(text)
  if (typeof line === 'string' || line.type !== 'action')
    throw new Error(`The action "${action.action}" at World cannot be imported: ${String(line)}`)
  return line
}

async function append(path: string, lines: readonly object[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await appendFile(path, text, { mode: 0o600, flush: true })
}
