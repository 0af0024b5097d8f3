import { readdirSync, readFileSync } from 'node:fs'

export type ChildServer = { pid: number; entry: string; residentBytes: number }

/** Returns the Node processes that this process has started, with the file that each runs. Linux only. */
export function childProcesses(): ChildServer[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readChildProcess(Number(name)) ?? [])
}

/**
 * Finds the child process that runs a file.
 *
 * @param entry the file in Node's arguments, such as `packages/engine/server.ts`
 * @returns the id of the process
 * @throws Error if no child process runs the file
 */
export function findProcessId(entry: string): number {
  const child = childProcesses().find((candidate) => candidate.entry === entry)
  if (!child) throw new Error(`no child process runs ${entry}`)
  return child.pid
}

/** Returns the environment of a process at its start, without the IPC channel to its parent. */
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
    const isChild = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)
    if (!isChild || !entry) return null
    const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
    return { pid, entry, residentBytes: Number(kilobytes) * 1_024 }
  } catch {
    // The process has ended since `readdirSync`.
    return null
  }
}
