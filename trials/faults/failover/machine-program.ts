import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { hasEnded } from '../../../local/process/end-process.ts'

/** A program and how a machine runs it. */
export type ProgramOptions = {
  /** The machine's network namespace. */
  machine: string
  /** The folder with the Debian that all machines share. */
  root: string
  /** Files and folders of this computer, by their path on the machine. */
  mounts: Readonly<Record<string, string>>
  /** The mounted folders that the program writes to. */
  writableFolders: readonly string[]
  /** The account that runs the program; the programs of PostgreSQL refuse to run as root. */
  account: 'postgres' | 'root'
  env: Readonly<Record<string, string>>
  command: readonly string[]
  logFile: string
}

/** A program that runs on a machine, with its child processes. */
export type MachineProgram = {
  /** Runs a command in the program's namespaces as root. @returns its output @throws Error if the command fails */
  run(...command: string[]): Promise<string>
  /** Sends SIGKILL to the program and its child processes, as if the machine lost power. */
  kill(): Promise<void>
}

/**
 * Starts a program in a machine's network namespace, with separate process ids, mounts and root folder. When its first
 * process ends, the kernel ends the other processes and removes the mounts.
 */
export function startOnMachine(options: ProgramOptions): MachineProgram {
  const { machine, env, command, logFile } = options
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a')
  const child = spawn(
    'ip',
    [
      ...['netns', 'exec', machine, 'unshare', '--mount', '--pid', '--fork', '--kill-child'],
      ...['sh', '-ec', ENTER, 'sh', ...createEnterArguments(options), ...command],
    ],
    { env: { PATH, LANG: 'C.UTF-8', ...env }, stdio: ['ignore', log, log] },
  )
  closeSync(log)
  return {
    run: (...args) => runNextTo(child, { args, env }),
    kill: () => killInside(child),
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Arguments: the root, the account, the number of mounts, a source and a target for each mount, the number of folders that the
 * account owns, these folders, and the command.
 */
const ENTER = `
root=$1 account=$2 mounts=$3; shift 3
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
mount -t proc proc "$root/proc"
while [ "$mounts" -gt 0 ]; do
  if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")"; [ -e "$root$2" ] || touch "$root$2"; fi
  mount --bind "$1" "$root$2"
  mounts=$((mounts - 1)); shift 2
done
mkdir -p "$root/run/postgresql"; chroot "$root" chown "$account:" /run/postgresql; chmod 1777 "$root/tmp" "$root/dev/shm"
folders=$1; shift
while [ "$folders" -gt 0 ]; do
  chroot "$root" chown "$account:" "$1"
  folders=$((folders - 1)); shift
done
exec chroot "$root" setpriv --reuid="$account" --regid="$account" --init-groups "$@"
`

function createEnterArguments({
  root,
  mounts,
  writableFolders,
  account,
}: ProgramOptions): string[] {
  const pairs = Object.entries(mounts).flatMap(([target, source]) => [source, target])
  const counts = { mounts: pairs.length / 2, writableFolders: writableFolders.length }
  return [
    root,
    account,
    `${counts.mounts}`,
    ...pairs,
    `${counts.writableFolders}`,
    ...writableFolders,
  ]
}

const execute = promisify(execFile)

type Command = { args: string[]; env: ProgramOptions['env'] }

async function runNextTo(child: ChildProcess, { args, env }: Command): Promise<string> {
  if (hasEnded(child)) throw new Error('The machine is off.')
  const pid = firstProcessInside(child)
  const spaces = ['--mount', '--pid', '--net', '--root', '--wdns=/']
  const { stdout } = await execute('nsenter', [`--target=${pid}`, ...spaces, ...args], {
    env: { PATH, LANG: 'C.UTF-8', ...env },
  })
  return stdout
}

/** Kills the first process inside. The kernel then kills the others inside, and `unshare` ends. */
async function killInside(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exit = once(child, 'exit')
  process.kill(firstProcessInside(child), 'SIGKILL')
  await exit
}

/** Finds the first process inside: the child of `unshare`, which stays outside. */
function firstProcessInside({ pid }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return Number(requireValue(children.split(' ')[0] || null, 'the first process of a machine'))
}
