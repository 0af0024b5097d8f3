import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type MachineProgram, startOnMachine } from './machine-program.ts'

/** The machine with PgBouncer and HAProxy. In production, each Hasura has one. */
export type PoolerMachine = {
  address: string
  start(): void
  killPgBouncer(): Promise<void>
  killHaproxy(): Promise<void>
  kill(): Promise<void>
}

type Options = {
  name: string
  address: string
  root: string
  folder: string
  /** The addresses of the database machines, by name. */
  databases: Readonly<Record<string, string>>
  /** The roles that may connect through PgBouncer, with their passwords. */
  users: Readonly<Record<string, string>>
}

/** The ports in ops/failover/pgbouncer.ini and haproxy.cfg. */
export const PORTS = { pgbouncer: 6432, haproxy: 5000 }

const PGBOUNCER_FILE = '/etc/pgbouncer/pgbouncer.ini'
const HAPROXY_FILE = '/etc/haproxy/haproxy.cfg'

export function createPoolerMachine(options: Options): PoolerMachine {
  const running: { pgbouncer?: MachineProgram; haproxy?: MachineProgram } = {}
  const killPgBouncer = async () => {
    await running.pgbouncer?.kill()
    delete running.pgbouncer
  }
  const killHaproxy = async () => {
    await running.haproxy?.kill()
    delete running.haproxy
  }
  return {
    address: options.address,
    start() {
      running.haproxy ??= startHaproxy(options)
      running.pgbouncer ??= startPgBouncer(options)
    },
    killPgBouncer,
    killHaproxy,
    kill: async () => void (await Promise.all([killPgBouncer(), killHaproxy()])),
  }
}

function startHaproxy({ name, root, folder, databases }: Options): MachineProgram {
  const addresses = Object.entries(databases).map(([db, at]) => [db.toUpperCase(), at])
  return startOnMachine({
    machine: name,
    root,
    mounts: { [HAPROXY_FILE]: resolve('ops/failover/haproxy.cfg') },
    writableFolders: [],
    // HAProxy drops its privileges after its start.
    account: 'root',
    env: { LISTEN: '*', ...Object.fromEntries(addresses) },
    command: ['haproxy', '-f', HAPROXY_FILE],
    logFile: join(folder, 'haproxy.log'),
  })
}

function startPgBouncer({ name, root, folder, users }: Options): MachineProgram {
  const userList = join(folder, 'userlist.txt')
  const ini = join(folder, 'pgbouncer.ini')
  // The engine is on another machine, so PgBouncer must listen on all addresses.
  const template = readFileSync('ops/failover/pgbouncer.ini', 'utf8')
  writeFileSync(ini, template.replace(/^listen_addr = .*$/m, 'listen_addr = *'))
  const lines = Object.entries(users).map(([user, password]) => `"${user}" "${password}"\n`)
  writeFileSync(userList, lines.join(''))
  return startOnMachine({
    machine: name,
    root,
    mounts: {
      [PGBOUNCER_FILE]: ini,
      '/etc/pgbouncer/userlist.txt': userList,
    },
    writableFolders: [],
    account: 'postgres',
    env: {},
    command: ['pgbouncer', PGBOUNCER_FILE],
    logFile: join(folder, 'pgbouncer.log'),
  })
}
