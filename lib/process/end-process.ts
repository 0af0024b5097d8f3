import type { ChildProcess } from 'node:child_process'

type Ending = {
  /** What it is asked with. */
  signal: NodeJS.Signals
  /** After so many ms it is killed; without it, it may take as long as it wants. */
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

/** Whether a child process has exited, or a signal has ended it. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
