import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, hasEnded } from '../../local/process/end-process.ts'
import { freePort } from '../../local/process/free-port.ts'

/** How a command ended. */
export type Ended = { code: number | null; said: string }

/** The engine's `dev`, which serves. */
export type Served = {
  url: string
  /** The database's address, as `dev` prints it. */
  databaseUrl: string
  /** What `dev` has written so far. */
  said(): string
  stop(): Promise<void>
}

/** A thousand migrations take minutes on a busy machine. */
const LIMIT_MS = 600_000

const PROGRAM = new URL('../../packages/engine/cli/command.ts', import.meta.url).pathname

/** Runs a command of the engine's to its end. */
export async function runCommand(folder: string, words: readonly string[]): Promise<Ended> {
  const { child, said } = startCommand(folder, words)
  const killer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(killer)
  return { code: child.exitCode, said: said() }
}

/**
 * Starts `dev`, and waits until it serves.
 *
 * @throws Error with what it wrote, where it does not
 */
export async function startDev(
  folder: string,
  { words, variables }: { words: readonly string[]; variables: Readonly<Record<string, string>> },
): Promise<Served> {
  const port = String(await freePort())
  const { child, said } = startCommand(folder, ['dev', '--port', port, ...words], variables)
  const deadline = Date.now() + LIMIT_MS
  while (!(said().includes('Ready.') || hasEnded(child) || Date.now() > deadline)) await sleep(50)
  if (!said().includes('Ready.')) {
    await endProcess(child, { signal: 'SIGINT', killAfterMs: 30_000 })
    throw new Error(said().trim() || 'dev did not start, and said nothing')
  }
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl: /PostgreSQL\s+(\S+)/.exec(said())?.[1] ?? '',
    said,
    stop: () => endProcess(child, { signal: 'SIGINT', killAfterMs: 30_000 }),
  }
}

const running = new Set<ChildProcess>()

function startCommand(
  folder: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: { PATH, HOME, NODE_NO_WARNINGS: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  running.add(child)
  child.once('close', () => running.delete(child))
  return { child, said: () => text }
}

// With this program, however it ends.
process.once('exit', () => {
  for (const child of running) child.kill('SIGINT')
})
