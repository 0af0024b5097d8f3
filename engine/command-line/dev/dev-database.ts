import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../../lib/postgres/embedded-postgres.ts'
import { freePort, isPortFree } from '../../../lib/process/free-port.ts'

/** The database that a project is developed on. */
export type DevDatabase = {
  url: string
  /** Whether it is one that was started for this. */
  isEmbedded: boolean
  /** Whether it was made just now, so that it has no rows. */
  isNew: boolean
  stop(): Promise<void>
}

/** A database that is there already, and that nobody here may empty. */
export function givenDatabase(url: string): DevDatabase {
  return { url, isEmbedded: false, isNew: false, stop: async () => {} }
}

/**
 * Starts a PostgreSQL whose data is in a folder, which is made on first use.
 *
 * @param fresh throws away what the folder has
 * @throws Error with a sentence for the person at the terminal
 */
export async function embeddedDatabase(
  folder: string,
  { fresh }: { fresh: boolean },
): Promise<DevDatabase> {
  if (fresh) await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  // Nobody wants to have a database in their repository.
  await writeFile(join(folder, '.gitignore'), '*\n')
  const data = join(folder, 'postgres')
  const isNew = !existsSync(data)
  const { url, stop } = await startPostgres({
    folder: data,
    port: await keptPort(join(folder, 'port')),
    password: await keptPassword(join(folder, 'password')),
    remedy:
      'Another folder is chosen by --data FOLDER, a PostgreSQL of yours by --database-url URL.',
    // Who loses power loses a second of what they tried out.
    settings: ['synchronous_commit=off'],
  })
  return { url, isEmbedded: true, isNew, stop }
}

/** Made with the data, and as long in use. */
async function keptPassword(file: string): Promise<string> {
  if (existsSync(file)) return readFile(file, 'utf8')
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, password, { mode: 0o600 })
  return password
}

/** The same as the last time, if it is free, so that other programs find the database again. */
async function keptPort(file: string): Promise<number> {
  const kept = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
  if (kept > 0 && (await isPortFree(kept))) return kept
  const port = await freePort()
  await writeFile(file, String(port))
  return port
}
