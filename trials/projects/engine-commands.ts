import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, hasEnded } from '../../local/process/end-process.ts'
import { freePort } from '../../local/process/free-port.ts'

/** The exit code of a command, with its standard output and standard error. */
export type CommandResult = { code: number | null; output: string }

/** A running `dev` of the engine. */
export type DevServer = {
  url: string
  /** The database URL that `dev` prints. */
  databaseUrl: string
  /** The standard output and standard error of `dev` so far. */
  output(): string
  stop(): Promise<void>
}

/** A thousand migrations take minutes on a busy machine. */
const LIMIT_MS = 600_000

const PROGRAM = new URL('../../packages/engine/cli/command.ts', import.meta.url).pathname

/** Runs a command of the engine to its end, or kills it after ten minutes. */
export async function runCommand(folder: string, words: readonly string[]): Promise<CommandResult> {
  const { child, output } = startCommand(folder, words)
  const killer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(killer)
  return { code: child.exitCode, output: output() }
}

/**
 * Starts `dev`, and waits until it serves.
 *
 * @throws Error with the output of `dev` if it does not start
 */
export async function startDev(
  folder: string,
  { words, variables }: { words: readonly string[]; variables: Readonly<Record<string, string>> },
): Promise<DevServer> {
  const port = String(await freePort())
  const { child, output } = startCommand(folder, ['dev', '--port', port, ...words], variables)
  const deadline = Date.now() + LIMIT_MS
  while (!(output().includes('Ready.') || hasEnded(child) || Date.now() > deadline)) await sleep(50)
  if (!output().includes('Ready.')) {
    await endProcess(child, { signal: 'SIGINT', killAfterMs: 30_000 })
    throw new Error(output().trim() || 'dev did not start, and printed nothing')
  }
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl: /PostgreSQL\s+(\S+)/.exec(output())?.[1] ?? '',
    output,
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
  return { child, output: () => text }
}

// Ends the commands when this program exits for any reason.
process.once('exit', () => {
  for (const child of running) child.kill('SIGINT')
})
