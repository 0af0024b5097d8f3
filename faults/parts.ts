import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { children } from '../platform/children.ts'

/** A process of the platform, which can be killed and started again as it was. */
export type Part = {
  /** As the machine's loss of power would. */
  kill(): void
  /** What a supervisor does: the same command with the same environment, once the old one is gone. */
  restart(other?: Record<string, string>): Promise<void>
}

/** The part that runs this file. */
export function part(entry: string): Part {
  let pid = pidOf(entry)
  const { command, env } = read(pid)
  return {
    kill: () => process.kill(pid, 'SIGKILL'),
    async restart(other = {}) {
      while (isAlive(pid)) await pause(10)
      const [program = '', ...args] = command
      const child = spawn(program, args, { env: { ...env, ...other }, stdio: 'ignore' })
      pid = child.pid ?? 0
      started.push(pid)
    },
  }
}

const started: number[] = []

/** Ends what `restart` has started. */
export function endRestarted(): void {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
}

function pidOf(entry: string): number {
  const found = children().find((child) => child.entry === entry)
  if (!found) throw new Error(`${entry} does not run`)
  return found.pid
}

/** The channel to whoever started it is gone with its starter. */
function read(pid: number) {
  const lines = (file: string) =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean)
  const pairs = lines('environ').map((line) => line.split(/=(.*)/s).slice(0, 2))
  const {
    NODE_CHANNEL_FD: _,
    NODE_CHANNEL_SERIALIZATION_MODE: __,
    ...env
  } = Object.fromEntries(pairs)
  return { command: lines('cmdline'), env }
}

/** One that has ended and was not waited for is a zombie, `Z`. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
