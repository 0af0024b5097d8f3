import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { removeCluster } from '../../../../local/postgres/cluster-place.ts'
import { startPostgres } from '../../../../local/postgres/embedded-postgres.ts'
import { freePort, isPortFree } from '../../../../local/process/free-port.ts'
import { lockFolder } from '../../../../local/process/lock-folder.ts'
import { createRemovableFolder } from '../../../../local/process/removable-folder.ts'
import { separateSuperuser } from './owner-role.ts'

/** The database of a project in development. */
export type DevDatabase = {
  url: string
  /** Returns the address of another database on the same server, and creates it on first use. Null if dev did not start the server. */
  siblingDatabase(name: string): Promise<string | null>
  /** True if dev started the server. */
  isEmbedded: boolean
  /** The data folder of the started server; null for another server. */
  folder: string | null
  /** True if dev started the server, and neither this nor an earlier start has called `recordSeeds` for its data. */
  needsSeeds: boolean
  /** Records that the seeds are applied. */
  recordSeeds(): Promise<void>
  /** Resolves if the started server ends unexpectedly. */
  unexpectedEnd: Promise<Error>
  stop(): Promise<void>
}

/** Describes a database that dev did not start. Dev never empties or seeds it. */
export function existingDatabase(url: string): DevDatabase {
  const doNothing = async () => {}
  const unexpectedEnd = new Promise<Error>(() => {})
  return {
    url,
    siblingDatabase: async () => null,
    isEmbedded: false,
    folder: null,
    needsSeeds: false,
    recordSeeds: doNothing,
    unexpectedEnd,
    stop: doNothing,
  }
}

/**
 * Starts a PostgreSQL server with its data in `folder`. Creates the folder on first use.
 *
 * @param fresh deletes the data in the folder first
 * @throws Error with a message for the terminal
 */
export async function embeddedDatabase(
  folder: string,
  { fresh }: { fresh: boolean },
): Promise<DevDatabase> {
  const undo = createFolder(folder)
  const lock = await lockFolder(folder)
  if ('ownerPid' in lock)
    throw new Error(
      `${folder} is in use by process ${lock.ownerPid ?? 'of another user'}. End this process, or choose another folder with --data FOLDER.`,
    )
  try {
    const paths = pathsIn(folder)
    if (fresh) await removeData(paths)
    const { promise: unexpectedEnd, resolve: onEnd } = Promise.withResolvers<Error>()
    const { url, stop, ...postgres } = await startIn(paths, onEnd)
    return {
      url,
      folder: postgres.folder,
      siblingDatabase: (name) => createSiblingDatabase(url, name),
      isEmbedded: true,
      unexpectedEnd,
      needsSeeds: !existsSync(paths.seedsRecord),
      recordSeeds: () => writeFile(paths.seedsRecord, ''),
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
 * Creates the data folder, with a `.gitignore` that keeps it out of the repository. Adds no `.gitignore` to an existing folder.
 *
 * @returns a function that removes the new files; call it if the start fails
 */
function createFolder(folder: string): () => void {
  try {
    const isNew = !existsSync(folder)
    const undo = createRemovableFolder(folder, ['.gitignore', ...Object.values(NAMES)])
    if (isNew) writeFileSync(join(folder, '.gitignore'), '*\n')
    return undo
  } catch (error) {
    throw explainFolder(folder, error)
  }
}

/** Adds advice to an error of the file system. */
function explainFolder(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'path' in error)) return error
  return new Error(`${folder} cannot be used: ${error.message}. ${REMEDY}`, { cause: error })
}

const REMEDY =
  'Choose another folder with --data FOLDER, or use your own PostgreSQL with --database-url URL.'

async function createSiblingDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url, application_name: 'engine dev' })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href
}

/** The names of dev's files in the data folder. Other files are never changed. */
const NAMES = {
  data: 'postgres',
  password: 'password',
  superuserPassword: 'superuser-password',
  port: 'port',
  seedsRecord: 'seeded',
} as const

function pathsIn(folder: string) {
  const { data, password, superuserPassword, port, seedsRecord } = NAMES
  return {
    data: join(folder, data),
    password: join(folder, password),
    superuserPassword: join(folder, superuserPassword),
    port: join(folder, port),
    seedsRecord: join(folder, seedsRecord),
  }
}

type Paths = ReturnType<typeof pathsIn>

async function removeData({ data, ...files }: Paths): Promise<void> {
  removeCluster(data)
  for (const path of Object.values(files)) await rm(path, { force: true })
}

async function startIn(paths: Paths, onEnd: (error: Error) => void) {
  const { data, password, port, seedsRecord } = paths
  // New data needs the seeds, even if they were applied to earlier data in this folder.
  if (!existsSync(data)) await rm(seedsRecord, { force: true })
  if (existsSync(data) && !existsSync(password))
    throw new Error(
      `The password file ${password} is missing, so the existing data cannot be opened. Delete the data with --fresh.`,
    )
  const owner = await readOrCreatePassword(password)
  const postgres = await startPostgres({
    folder: data,
    port: await choosePort(port),
    password: owner,
    remedy: REMEDY,
    onEnd,
    // A power failure may lose the last second of changes, which is acceptable in development.
    settings: ['synchronous_commit=off'],
  })
  try {
    const superuser = await readOrCreatePassword(paths.superuserPassword)
    await separateSuperuser(postgres.url, { owner, superuser })
    return postgres
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/** Reads a password file. If it is missing, creates it with a new password. */
async function readOrCreatePassword(file: string): Promise<string> {
  if (existsSync(file)) return readFile(file, 'utf8')
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, password, { mode: 0o600 })
  return password
}

/** Returns the same port as last time if it is free, so that other programs find the database again. */
async function choosePort(file: string): Promise<number> {
  const lastPort = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
  if (lastPort > 0 && lastPort < 65_536 && (await isPortFree(lastPort))) return lastPort
  const port = await freePort()
  await writeFile(file, String(port))
  return port
}
