import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endOrphanedPostgres } from '../../local/postgres/embedded-postgres.ts'
import { endProcess } from '../../local/process/end-process.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'

/** The message of a program, or the reason why it sent none. */
export type IsolatedResult<Message> = { message: Message } | { failure: string }

/**
 * Runs a program in a child process with a temporary folder, until it has sent one message. Afterwards ends the program, and the
 * PostgreSQL servers that it left in folders named `postgres`. Deletes the temporary folder, even if the program failed.
 *
 * @param file a module that sends one message to its parent
 */
export async function runIsolated<Message>(
  file: URL,
  args: readonly string[],
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal },
): Promise<IsolatedResult<Message>> {
  const folder = temporaryFolder('bench-')
  const child = fork(file, args, {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  try {
    return await receiveMessage<Message>(child, limitMs, signal)
  } finally {
    await endProcess(child, { signal: 'SIGTERM', killAfterMs: 20_000 })
    for (const name of readdirSync(folder))
      for (const cluster of ['postgres', 'data'])
        await endOrphanedPostgres(join(folder, name, cluster))
    rmSync(folder, { recursive: true, force: true })
  }
}

function receiveMessage<Message>(
  child: ChildProcess,
  limitMs: number,
  signal?: AbortSignal,
): Promise<IsolatedResult<Message>> {
  return new Promise((resolve) => {
    const resolveFailure = (failure: string) => resolve({ failure })
    let errorOutput = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-4_000)
    })
    child.once('message', (message: Message) => resolve({ message }))
    child.once('close', (code) =>
      resolveFailure(findErrorMessage(errorOutput) ?? `it ended with ${code}`),
    )
    const timer = setTimeout(() => resolveFailure(`not done after ${limitMs / 1_000} s`), limitMs)
    child.once('exit', () => clearTimeout(timer))
    signal?.addEventListener('abort', () => resolveFailure('interrupted'), { once: true })
  })
}

/** Finds the message of the error that ended the program, in Node's output. */
function findErrorMessage(errorOutput: string): string | undefined {
  return /^\w*error(?: \[\w+\])?: (.+)$/im.exec(errorOutput)?.[1]
}
