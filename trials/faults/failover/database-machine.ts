import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { present } from '../../../lib/runtime/present.ts'
import { type ClusterPasswords, machineEnvironment } from './machine-environment.ts'
import { type MachineProgram, startOnMachine } from './machine-program.ts'

export type DatabaseMachine = {
  name: string
  address: string
  /** Starts what is off: etcd, and Patroni with its PostgreSQL. */
  start(): void
  /** The machine loses power: everything on it is gone, but for its disk. */
  kill(): Promise<void>
  /** Kills PostgreSQL alone. Patroni, which started it, stays. */
  killPostgres(): Promise<void>
  killEtcd(): Promise<void>
  /** Fills the disk, as somebody does who writes more and more, until PostgreSQL can write nothing. */
  fillDisk(): Promise<void>
  emptyDisk(): Promise<void>
  /** Drops what comes from these addresses, and what goes to them. */
  cutOffFrom(addresses: readonly string[]): Promise<void>
  endCutOff(): Promise<void>
  /** Makes the clock of Patroni and PostgreSQL wrong by so many seconds. */
  jumpClock(seconds: number): void
  /** Runs a command beside Patroni, as root. @returns its output */
  run(...command: string[]): Promise<string>
  /**
   * A planned change of the primary, by the operator's command: to the synchronous standby, since Patroni takes no other one.
   * It is not named: the third machine would then wait two seconds before it follows, and commits with it.
   */
  switchOver(from: string): Promise<void>
}

type Options = {
  name: string
  address: string
  root: string
  /** What the machine keeps when it is off. */
  folder: string
  passwords: ClusterPasswords
}

/** A machine with etcd and Patroni, as ops/failover configures them; it is off at first. */
export function databaseMachine(options: Options): DatabaseMachine {
  const { name, address } = options
  const running: { etcd?: MachineProgram; patroni?: MachineProgram } = {}
  const run = (...command: string[]) =>
    present(running.patroni, `Patroni of ${name}, running`).run(...command)
  const shell = (script: string) => run('sh', '-ec', script)
  setClock(options, { seconds: 0, flag: 'w' })
  return {
    name,
    address,
    run,
    start() {
      running.etcd ??= startEtcd(options)
      running.patroni ??= startPatroni(options)
    },
    async kill() {
      await Promise.all([running.etcd?.kill(), running.patroni?.kill()])
      delete running.etcd
      delete running.patroni
    },
    async killEtcd() {
      await running.etcd?.kill()
      delete running.etcd
    },
    killPostgres: async () =>
      void (await shell(`kill -KILL "$(head -n 1 ${DATA_FOLDER}/postmaster.pid)"`)),
    fillDisk: async () => void (await shell(FILL_DISK)),
    emptyDisk: async () => void (await shell(`rm --force ${FILLER}`)),
    cutOffFrom: async (addresses) => void (await run('nft', dropRules(addresses))),
    endCutOff: async () => void (await run('nft', `delete table inet ${CUT}`)),
    jumpClock: (seconds) => setClock(options, { seconds, flag: 'r+' }),
    switchOver: async (from) =>
      void (await run(
        ...['patronictl', '--config-file', PATRONI_FILE, 'switchover', 'platform'],
        ...['--leader', from, '--force'],
      )),
  }
}

function startEtcd({ name, address, root, folder, passwords }: Options): MachineProgram {
  return startOnMachine({
    machine: name,
    root,
    mounts: { '/var/lib/etcd': join(folder, 'etcd') },
    owns: ['/var/lib/etcd'],
    account: 'postgres',
    env: machineEnvironment({ name, address }, passwords),
    command: ['etcd'],
    logFile: join(folder, 'etcd.log'),
  })
}

function startPatroni(options: Options): MachineProgram {
  const { name, address, root, folder, passwords } = options
  return startOnMachine({
    machine: name,
    root,
    mounts: {
      [DISK]: join(folder, 'disk'),
      [PATRONI_FILE]: resolve('ops/failover/patroni.yml'),
      [CLOCK]: clockFile(options),
    },
    owns: [DISK],
    account: 'postgres',
    env: machineEnvironment({ name, address }, passwords),
    command: ['env', ...WRONG_CLOCK, ...serviceCommand(root, 'patroni')],
    logFile: join(folder, 'patroni.log'),
  })
}

/** What Debian's service of this name starts: so it is also right where its files are expected. */
function serviceCommand(root: string, name: string): string[] {
  const unit = readFileSync(join(root, 'usr/lib/systemd/system', `${name}.service`), 'utf8')
  const command = /^ExecStart=(.+)$/m.exec(unit)?.[1]
  return present(command, `the command of ${name}.service`).split(' ')
}

/** Always as long, and written over: the programs end when they find the file empty. */
function setClock(options: Options, { seconds, flag }: { seconds: number; flag: 'w' | 'r+' }) {
  writeFileSync(clockFile(options), `+${String(seconds).padStart(6, '0')}`, { flag })
}

function clockFile({ folder }: Options): string {
  return join(folder, 'clock')
}

/** Where the unit of Debian's package expects it. */
export const PATRONI_FILE = '/etc/patroni/config.yml'

const DISK = '/var/lib/postgresql'
const DATA_FOLDER = `${DISK}/18/main`
const FILLER = `${DISK}/filler`

/** A file takes what is free; then the log grows until there is no place for it, which ends PostgreSQL. */
const FILL_DISK = `
postgres=$(head -n 1 ${DATA_FOLDER}/postmaster.pid)
dd if=/dev/zero of=${FILLER} bs=1M 2> /dev/null || true
while kill -0 "$postgres" 2> /dev/null; do
  runuser --user postgres -- psql --quiet --output /dev/null --command "
    select pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) from generate_series(1, 50)" 2> /dev/null || sleep 0.2
done`

/** The clock is read through a library, which adds what the file says; timers, which count from the start, stay right. */
const CLOCK = '/etc/clock'
const WRONG_CLOCK = [
  // The loader finds the machine's own folder of libraries.
  'LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1',
  `FAKETIME_TIMESTAMP_FILE=${CLOCK}`,
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
  'FAKETIME_CACHE_DURATION=1',
]

/** The name of the table of firewall rules. */
const CUT = 'cut'

function dropRules(addresses: readonly string[]): string {
  const list = addresses.join(', ')
  return `table inet ${CUT} {
    chain from { type filter hook input priority 0; ip saddr { ${list} } drop; }
    chain to { type filter hook output priority 0; ip daddr { ${list} } drop; }
  }`
}
