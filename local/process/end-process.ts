import type { ChildProcess } from 'node:child_process'

type Ending = {
  /** The signal that asks the process to end. */
  signal: NodeJS.Signals
  /** After this many milliseconds the process is killed; never, if absent. */
  killAfterMs?: number
}

/** Asks a child process to end, and waits until it has. */
export async function endProcess(
  child: ChildProcess,
  { signal, killAfterMs }: Ending,
): Promise<void> {
  if (hasEnded(child)) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const killer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  await exit
  clearTimeout(killer)
}

/** How a child process ended, in words: its signal or its exit code. */
export function explainEnd({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
}

/** Whether a child process has exited, or a signal has ended it. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
