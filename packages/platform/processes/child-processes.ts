import { readdirSync, readFileSync } from 'node:fs'

export type ChildServer = { pid: number; entry: string; residentBytes: number }

/** The Node processes that this one has started, with the file that each runs. Linux only. */
export function childProcesses(): ChildServer[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readChildProcess(Number(name)) ?? [])
}

/**
 * Finds the child process that runs a file.
 *
 * @param entry the file as it was given to Node, such as `packages/engine/server.ts`
 * @returns its process id
 * @throws Error when no child process runs it
 */
export function findProcessId(entry: string): number {
  const found = childProcesses().find((child) => child.entry === entry)
  if (!found) throw new Error(`${entry} does not run`)
  return found.pid
}

/** The environment that a process was started with, without the IPC channel to its parent. */
export function processEnvironment(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((line) => line && !line.startsWith('NODE_CHANNEL_'))
    .map((line) => line.split(/=(.*)/s).slice(0, 2))
  return Object.fromEntries(pairs)
}

function readChildProcess(pid: number): ChildServer | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const entry = words.find((word) => word.endsWith('.ts'))
    const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)
    if (!isOurs || !entry) return null
    const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
    return { pid, entry, residentBytes: Number(kilobytes) * 1_024 }
  } catch {
    // The process has ended since its folder was listed.
    return null
  }
}
