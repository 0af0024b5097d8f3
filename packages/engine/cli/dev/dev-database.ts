import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { removeCluster } from '../../../../local/postgres/cluster-place.ts'
import { startPostgres } from '../../../../local/postgres/embedded-postgres.ts'
import { freePort, isPortFree } from '../../../../local/process/free-port.ts'
import { lockFolder } from '../../../../local/process/lock-folder.ts'
import { undoFolder } from '../../../../local/process/undo-folder.ts'
import { separateSuperuser } from './owner-role.ts'

/** The database that a project is developed on. */
export type DevDatabase = {
  url: string
  /** The address of another database beside it, which is made on first use; null where none may be made. */
  beside(name: string): Promise<string | null>
  /** Whether it is one that was started for this. */
  isEmbedded: boolean
  /** Where one that was started keeps its data; null for another. */
  folder: string | null
  /** Whether the seeds are still to be applied: until `noteSeeded` was called once, also by an earlier start. */
  needsSeeds: boolean
  noteSeeded(): Promise<void>
  /** Resolves when one that was started here ends by itself. */
  ended: Promise<Error>
  stop(): Promise<void>
}

/** A database that is there already, and that nobody here may empty. */
export function givenDatabase(url: string): DevDatabase {
  const nothing = async () => {}
  const ended = new Promise<Error>(() => {})
  return {
    url,
    beside: async () => null,
    isEmbedded: false,
    folder: null,
    needsSeeds: false,
    noteSeeded: nothing,
    ended,
    stop: nothing,
  }
}

/**
 * Starts a PostgreSQL whose data is in a folder, which is made on first use.
 *
 * @param fresh throws away the data that the folder has
 * @throws Error with a sentence for the person at the terminal
 */
export async function embeddedDatabase(
  folder: string,
  { fresh }: { fresh: boolean },
): Promise<DevDatabase> {
  const undo = makeFolder(folder)
  const lock = await lockFolder(folder)
  if ('takenBy' in lock)
    throw new Error(
      `${folder} is in use by process ${lock.takenBy ?? 'of another user'}. End it, or choose another folder by --data FOLDER.`,
    )
  try {
    const paths = pathsIn(folder)
    if (fresh) await removeData(paths)
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<Error>()
    const { url, stop, ...postgres } = await startIn(paths, onEnd)
    return {
      url,
      folder: postgres.folder,
      beside: (name) => databaseBeside(url, name),
      isEmbedded: true,
      ended,
      needsSeeds: !existsSync(paths.seeded),
      noteSeeded: () => writeFile(paths.seeded, ''),
      async stop() {
        await stop()
        await lock.stop()
      },
    }
  } catch (error) {
    undo()
    await lock.stop()
    throw explainFolder(folder, error)
  }
}

/**
 * Nobody wants to have a database in their repository. In a folder that was there, that is for its owner to say.
 *
 * @returns removes what was made since, for a start that is refused
 */
function makeFolder(folder: string): () => void {
  try {
    const isOurs = !existsSync(folder)
    const undo = undoFolder(folder, ['.gitignore', ...Object.values(NAMES)])
    if (isOurs) writeFileSync(join(folder, '.gitignore'), '*\n')
    return undo
  } catch (error) {
    throw explainFolder(folder, error)
  }
}

/** The operating system says what it refuses, and not what to do. */
function explainFolder(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'path' in error)) return error
  return new Error(`${folder} cannot be used: ${error.message}. ${REMEDY}`, { cause: error })
}

const REMEDY =
  'Another folder is chosen by --data FOLDER, a PostgreSQL of yours by --database-url URL.'

async function databaseBeside(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url, application_name: 'engine dev' })
  client.on('error', () => {})
  await client.connect()
  try {
    const known = await client.query('select from pg_database where datname = $1', [name])
    if (known.rowCount === 0) await client.query(`create database ${escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href
}

/** What is ours in the folder; anything else in it is not touched. */
const NAMES = {
  data: 'postgres',
  password: 'password',
  superuserPassword: 'superuser-password',
  port: 'port',
  seeded: 'seeded',
} as const

function pathsIn(folder: string) {
  const { data, password, superuserPassword, port, seeded } = NAMES
  return {
    data: join(folder, data),
    password: join(folder, password),
    superuserPassword: join(folder, superuserPassword),
    port: join(folder, port),
    seeded: join(folder, seeded),
  }
}

type Paths = ReturnType<typeof pathsIn>

async function removeData({ data, ...notes }: Paths): Promise<void> {
  removeCluster(data)
  for (const path of Object.values(notes)) await rm(path, { force: true })
}

async function startIn(paths: Paths, onEnd: (error: Error) => void) {
  const { data, password, port, seeded } = paths
  // A new database has no rows yet, whatever the earlier one had.
  if (!existsSync(data)) await rm(seeded, { force: true })
  if (existsSync(data) && !existsSync(password))
    throw new Error(
      `${password} is missing, and without it nobody reaches the data beside it: --fresh throws that away, and begins anew.`,
    )
  const owner = await keptPassword(password)
  const postgres = await startPostgres({
    folder: data,
    port: await keptPort(port),
    password: owner,
    remedy: REMEDY,
    onEnd,
    // Who loses power loses a second of what they tried out.
    settings: ['synchronous_commit=off'],
  })
  try {
    const superuser = await keptPassword(paths.superuserPassword)
    await separateSuperuser(postgres.url, { owner, superuser })
    return postgres
  } catch (error) {
    await postgres.stop()
    throw error
  }
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
  if (kept > 0 && kept < 65_536 && (await isPortFree(kept))) return kept
  const port = await freePort()
  await writeFile(file, String(port))
  return port
}
