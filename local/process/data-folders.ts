import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoteForShell } from './format-command-line.ts'
import { isFolderLocked } from './lock-folder.ts'

/** One file for each recorded data folder, with the folder's path. Each installation has its own records. */
const RECORDS = fileURLToPath(new URL('../../.cache/data-folders/', import.meta.url))

const DEFAULT_FOLDER = '.data'

/** Records the data folder of a platform, so that the other commands of this installation find the platform. */
export function recordDataFolder(folder: string, records = RECORDS): void {
  try {
    mkdirSync(records, { recursive: true })
    writeFileSync(join(records, hash('sha256', folder)), folder)
  } catch {
    // Without the record, the other commands need --data. The installation may be read-only for this user.
  }
}

/**
 * Finds the data folder for a command. If no platform runs, or one runs in `.data`, returns `.data`.
 *
 * @param chosen the folder that the user has chosen with --data or DATA_FOLDER
 * @throws Error that lists the folders if several platforms run, but none in `.data`
 */
export async function findDataFolder(
  chosen: string | undefined,
  records = RECORDS,
): Promise<string> {
  if (chosen !== undefined) return chosen
  if (await isFolderLocked(DEFAULT_FOLDER)) return DEFAULT_FOLDER
  const recorded = readRecords(records)
  const locks = await Promise.all(recorded.map(isFolderLocked))
  const running = recorded.filter((_folder, index) => locks[index])
  const [folder = DEFAULT_FOLDER, ...more] = running
  if (more.length === 0) return folder
  throw new Error(
    `Several platforms are running. Choose one: ${running.map((each) => `--data ${quoteForShell(each)}`).join(', ')}.`,
  )
}

/** Reads the recorded folders. Removes the records of folders that no longer exist. */
function readRecords(records: string): string[] {
  return globSync(join(records, '*')).flatMap((file) => {
    const folder = readFileSync(file, 'utf8')
    if (existsSync(folder)) return [resolve(folder)]
    rmSync(file, { force: true })
    return []
  })
}
