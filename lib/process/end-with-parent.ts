import type { ChildProcess } from 'node:child_process'

/**
 * Ends a child process when this process exits. It is for a child in a process group of its own, which signals to our
 * group do not reach. When this process is killed by a signal that it cannot handle, the child is left behind.
 */
export function endWithParent(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
