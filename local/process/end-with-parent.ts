import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { present } from '../../lib/runtime/present.ts'

/** The children that end with this process, while they run, each with the signal that asks it to. */
const children = new Map<ChildProcess, NodeJS.Signals>()

/**
 * Ends a child process when this process ends, however that happens. It is for a child in a process group of its own,
 * which signals to our group do not reach.
 *
 * When this process is killed and can do nothing any more, a guard does it (not on Windows): it sends the signal at
 * once, and SIGKILL five seconds later.
 */
export function endWithParent(child: ChildProcess, signal: NodeJS.Signals): void {
  // It was not even started; its starter hears of that.
  if (child.pid === undefined) return
  const dismissGuard = startGuard(child.pid, signal)
  children.set(child, signal)
  // One listener for all: Node warns of a leak from the eleventh on.
  if (!process.listeners('exit').includes(endChildren)) process.once('exit', endChildren)
  child.once('exit', () => {
    dismissGuard()
    children.delete(child)
  })
}

function endChildren(): void {
  for (const [child, signal] of children) child.kill(signal)
}

/** Kills every child that would end with this process, without letting it finish anything, and waits until all have ended. */
export async function killChildren(): Promise<void> {
  const exits = [...children.keys()].map((child) => once(child, 'exit'))
  for (const child of children.keys()) child.kill('SIGKILL')
  await Promise.all(exits)
}

/** Waits for a line, which dismisses it, or for the end of its input, which comes when its parent is gone. */
const GUARD = `
read -r line && exit
kill -s "$1" "$2" || exit
for second in 1 2 3 4 5; do
  sleep 1
  kill -s 0 "$2" || exit
done
kill -s KILL "$2"`

/** A shell, because it takes one megabyte; in a session of its own, so that it outlives what is done to our group. */
function startGuard(pid: number, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', signal.replace('SIG', ''), String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const input = present(guard.stdin, 'the pipe to a guard')
  // Somebody ended the guard: its child then ends with an exit of ours only.
  input.on('error', () => {})
  guard.on('error', () => {})
  guard.unref()
  if (input instanceof Socket) input.unref()
  return () => input.end('\n')
}
