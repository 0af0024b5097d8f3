import type { ChildProcess } from 'node:child_process'

type EndOptions = {
  /** The signal that asks the process to end. */
  signal: NodeJS.Signals
  /** The time after which the process is killed, in milliseconds; never by default. */
  killAfterMs?: number
}

/** Asks a child process to end, and waits until it has ended. */
export async function endProcess(
  child: ChildProcess,
  { signal, killAfterMs }: EndOptions,
): Promise<void> {
  if (hasEnded(child)) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const killer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  await exit
  clearTimeout(killer)
}

/** Returns the signal or the exit code of an ended child process as text. */
export function explainEnd({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
}

/** Reports whether a child process has exited or been ended by a signal. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
