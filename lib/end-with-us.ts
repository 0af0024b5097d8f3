import type { ChildProcess } from 'node:child_process'

/**
 * Ends a child when this process exits; for a child in a process group of its own, which signals to our
 * group do not reach. If this process is killed by a signal, the child is left behind.
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
