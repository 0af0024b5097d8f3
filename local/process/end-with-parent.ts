import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { requireValue } from '../../lib/runtime/require-value.ts'

/** The running children that end with this process, each with the signal that ends it. */
const children = new Map<ChildProcess, NodeJS.Signals>()

/**
 * Ends a child process when this process ends for any reason. This is for a child in a separate process group, because
 * the child does not get the signals that this process's group gets.
 *
 * If this process is killed, a guard process ends the child (not on Windows). It sends the signal immediately, and
 * SIGKILL five seconds later.
 */
export function endWithParent(child: ChildProcess, signal: NodeJS.Signals): void {
  // A child without an id could not be started. Its `error` event reports the failure.
  if (child.pid === undefined) return
  const dismissGuard = startGuard(child.pid, signal)
  children.set(child, signal)
  // One listener for all children: Node warns of a leak from the eleventh listener on.
  if (!process.listeners('exit').includes(endChildren)) process.once('exit', endChildren)
  child.once('exit', () => {
    dismissGuard()
    children.delete(child)
  })
}

function endChildren(): void {
  for (const [child, signal] of children) child.kill(signal)
}

/** Kills every child that would end with this process, and waits until all have ended. */
export async function killChildren(): Promise<void> {
  const exits = [...children.keys()].map((child) => once(child, 'exit'))
  for (const child of children.keys()) child.kill('SIGKILL')
  await Promise.all(exits)
}

/**
 * The guard's script. A line on its input dismisses the guard; the end of its input means that the parent has ended.
 */
const GUARD = `
read -r line && exit
kill -s "$1" "$2" || exit
for second in 1 2 3 4 5; do
  sleep 1
  kill -s 0 "$2" || exit
done
kill -s KILL "$2"`

/**
 * Starts the guard: a shell, which needs only 1 MB, in a separate session, so that it outlives signals to this
 * process's group.
 */
function startGuard(pid: number, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', signal.replace('SIG', ''), String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const input = requireValue(guard.stdin, 'the pipe to a guard')
  // Ignores errors: if the guard was killed or did not start, the child ends only when this process exits normally.
  input.on('error', () => {})
  guard.on('error', () => {})
  guard.unref()
  if (input instanceof Socket) input.unref()
  return () => input.end('\n')
}
