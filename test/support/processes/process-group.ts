import type { ChildProcess } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { vi } from 'vitest'

/**
 * Ends all processes of the group of a child process that was started with `detached`. They may outlive the child. Kills the
 * processes that ignore the signal. Linux only.
 */
export async function endProcessGroup(
  { pid }: ChildProcess,
  { killAfterMs = 30_000 } = {},
): Promise<void> {
  if (pid === undefined || !isGroupRunning(pid)) return
  process.kill(-pid, 'SIGTERM')
  try {
    await vi.waitUntil(() => !isGroupRunning(pid), { timeout: killAfterMs, interval: 20 })
  } catch {
    process.kill(-pid, 'SIGKILL')
  }
}

/** Returns whether a process of the group runs. A zombie does not run. */
export function isGroupRunning(group: number): boolean {
  return globSync('/proc/[0-9]*/stat').some((file) => {
    const [, state, , processGroup] = /\) (\S) (\d+) (\d+)/.exec(readIfRunning(file)) ?? []
    return Number(processGroup) === group && state !== 'Z'
  })
}

function readIfRunning(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}
