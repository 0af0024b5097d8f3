import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { type ClusterPasswords, createMachineEnvironment } from './machine-environment.ts'
import { type MachineProgram, startOnMachine } from './machine-program.ts'

export type DatabaseMachine = {
  name: string
  address: string
  /** Starts etcd, and Patroni with its PostgreSQL, unless they run. */
  start(): void
  /** Kills every process of the machine, as a loss of power would. The disk stays. */
  kill(): Promise<void>
  /** Kills PostgreSQL. Patroni, its parent process, stays. */
  killPostgres(): Promise<void>
  killEtcd(): Promise<void>
  /** Fills the disk until PostgreSQL ends because it cannot write. */
  fillDisk(): Promise<void>
  emptyDisk(): Promise<void>
  /** Drops the packets from and to these addresses. */
  cutOffFrom(addresses: readonly string[]): Promise<void>
  endCutOff(): Promise<void>
  /** Sets the clock of Patroni and PostgreSQL ahead by this many seconds. */
  jumpClock(seconds: number): void
  /** Runs a command on the machine as root. @returns its output */
  run(...command: string[]): Promise<string>
  /**
   * Switches to another primary, by the operator's command. Patroni always takes the synchronous standby. The command does not
   * name it: with a name, the third machine waits two seconds before it follows, and so do commits.
   */
  switchOver(from: string): Promise<void>
}

type Options = {
  name: string
  address: string
  root: string
  /** The folder with the machine's disks and logs. */
  folder: string
  passwords: ClusterPasswords
}

/** Creates a machine with etcd and Patroni, configured by ops/failover. `start` starts it. */
export function createDatabaseMachine(options: Options): DatabaseMachine {
  const { name, address } = options
  const running: { etcd?: MachineProgram; patroni?: MachineProgram } = {}
  const run = (...command: string[]) =>
    requireValue(running.patroni, `the running Patroni of ${name}`).run(...command)
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
    cutOffFrom: async (addresses) => void (await run('nft', createDropRules(addresses))),
    endCutOff: async () => void (await run('nft', `delete table inet ${CUT_OFF_TABLE}`)),
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
    writableFolders: ['/var/lib/etcd'],
    account: 'postgres',
    env: createMachineEnvironment({ name, address }, passwords),
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
      [DISK_FOLDER]: join(folder, 'disk'),
      [PATRONI_FILE]: resolve('ops/failover/patroni.yml'),
      [CLOCK_FILE]: clockFilePath(options),
    },
    writableFolders: [DISK_FOLDER],
    account: 'postgres',
    env: createMachineEnvironment({ name, address }, passwords),
    command: ['env', ...WRONG_CLOCK, ...readServiceCommand(root, 'patroni')],
    logFile: join(folder, 'patroni.log'),
  })
}

/** Reads the command of a Debian service. So the test also covers the paths that the service expects. */
function readServiceCommand(root: string, name: string): string[] {
  const unit = readFileSync(join(root, 'usr/lib/systemd/system', `${name}.service`), 'utf8')
  const command = /^ExecStart=(.+)$/m.exec(unit)?.[1]
  return requireValue(command, `the command of ${name}.service`).split(' ')
}

/** Overwrites the clock file with a text of constant length. The programs would end if they found the file empty. */
function setClock(options: Options, { seconds, flag }: { seconds: number; flag: 'w' | 'r+' }) {
  writeFileSync(clockFilePath(options), `+${String(seconds).padStart(6, '0')}`, { flag })
}

function clockFilePath({ folder }: Options): string {
  return join(folder, 'clock')
}

/** The path that the service of Debian's package expects. */
export const PATRONI_FILE = '/etc/patroni/config.yml'

const DISK_FOLDER = '/var/lib/postgresql'
const DATA_FOLDER = `${DISK_FOLDER}/18/main`
const FILLER = `${DISK_FOLDER}/filler`

/** Fills the disk with a file. Then writes to the write-ahead log until PostgreSQL finds no space and ends. */
const FILL_DISK = `
postgres=$(head -n 1 ${DATA_FOLDER}/postmaster.pid)
dd if=/dev/zero of=${FILLER} bs=1M 2> /dev/null || true
while kill -0 "$postgres" 2> /dev/null; do
  runuser --user postgres -- psql --quiet --output /dev/null --command "
    select pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) from generate_series(1, 50)" 2> /dev/null || sleep 0.2
done`

/** libfaketime adds the seconds in this file to the clock. Monotonic timers stay correct. */
const CLOCK_FILE = '/etc/clock'
const WRONG_CLOCK = [
  // The loader replaces $LIB with the library folder of the architecture.
  'LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1',
  `FAKETIME_TIMESTAMP_FILE=${CLOCK_FILE}`,
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
  'FAKETIME_CACHE_DURATION=1',
]

/** The name of the nftables table with the rules of `cutOffFrom`. */
const CUT_OFF_TABLE = 'cut'

function createDropRules(addresses: readonly string[]): string {
  const list = addresses.join(', ')
  return `table inet ${CUT_OFF_TABLE} {
    chain from { type filter hook input priority 0; ip saddr { ${list} } drop; }
    chain to { type filter hook output priority 0; ip daddr { ${list} } drop; }
  }`
}
