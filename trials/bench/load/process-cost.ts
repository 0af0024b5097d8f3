import { readdirSync, readFileSync } from 'node:fs'
import { requireValue } from '../../../lib/runtime/require-value.ts'

/** The CPU time and memory that a process has used so far. Linux only. */
export type Cost = { cpuMs: number; memoryMb: number }

/** Reads the CPU time and the resident memory of a process. */
export function readProcessCost(pid: number): Cost {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces. User and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  const [, kilobytes] = requireValue(resident, 'the resident memory of the process')
  return { cpuMs: (ticks * 1_000) / TICKS_PER_SECOND, memoryMb: Number(kilobytes) / 1_024 }
}

const TICKS_PER_SECOND = 100

/** Reads the CPU time of each thread of a process in ms, by thread id. The first one is the main thread. */
export function readThreadTimes(pid: number): Map<number, number> {
  const threads = readdirSync(`/proc/${pid}/task`).map((id): [number, number] => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')
    return [Number(id), Number(nanoseconds) / 1e6]
  })
  return new Map(threads)
}

/**
 * Starts to measure the CPU time of processes.
 *
 * @returns a function that reads the CPU time in ms since the start; a process that has ended counts as zero
 */
export function startCpuClock(pids: readonly number[]): () => number {
  const initialTimes = pids.map(processCpuMs)
  const readUsedMs = (pid: number, i: number) =>
    Math.max(processCpuMs(pid) - requireValue(initialTimes[i], 'its time before'), 0)
  return () => sum(pids.map(readUsedMs))
}

function processCpuMs(pid: number): number {
  try {
    return sum([...readThreadTimes(pid).values()])
  } catch {
    // The process has ended.
    return 0
  }
}

export function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0)
}

/** Reads the command line of a process. */
export function readCommandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
}

/** Reads the ids of the running child processes. */
export function readChildProcessIds(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
