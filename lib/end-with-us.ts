import type { ChildProcess } from 'node:child_process'

/**
 * Ends a child with this process when that fails or exits; for one that lives in a process group of its own,
 * since nobody else would. A process that is killed by a signal leaves it behind.
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
