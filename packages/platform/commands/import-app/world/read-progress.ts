import { existsSync } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { type ActionLine, type AppLine, parseFileLine } from '../file/file-lines.ts'
import { readLines } from '../file/read-lines.ts'

/** The complete lines that an earlier download has written. */
export type Progress = {
  app: AppLine | undefined
  actions: ActionLine[]
  /** The people of each action, by its identifier, and the id of the last. */
  people: Map<string, { count: number; lastId: string }>
  isComplete: boolean
}

/**
 * Reads how far a download has come, and cuts off a line that an interruption has left incomplete.
 *
 * @throws an error with the line if the file is not from a download
 */
export async function readProgress(path: string): Promise<Progress> {
  const progress: Progress = { app: undefined, actions: [], people: new Map(), isComplete: false }
  if (!existsSync(path)) return progress
  let complete = 0
  for await (const lines of readLines(path))
    for (const { number, text, end } of lines) {
      if (end === null) {
        await truncate(path, complete)
        continue
      }
      const fault = addLine(progress, text)
      if (fault !== null)
        throw new Error(
          `${path}, line ${number}: ${fault}. --download continues only a file of --download: choose another file.`,
        )
      complete = end
    }
  return progress
}

function addLine(progress: Progress, text: string): string | null {
  const line = parseFileLine(text)
  if (typeof line === 'string') return line
  if (line.type === 'app') progress.app = line
  if (line.type === 'action') progress.actions.push(line)
  if (line.type === 'end') progress.isComplete = true
  if (line.type !== 'person') return null
  if (line.id === undefined) return 'the person has no id'
  const { count = 0 } = progress.people.get(line.action) ?? {}
  progress.people.set(line.action, { count: count + 1, lastId: line.id })
  return null
}
