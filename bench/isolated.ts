import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endOrphan } from '../platform/postgres.ts'

/** What a program sent, or why it sent nothing. */
export type Sent<Message> = { message: Message } | { failure: string }

/**
 * Runs a program in a process and a folder of its own, until it has sent its one message. Whatever
 * becomes of it, it leaves nothing: no file, no server.
 *
 * @param file a module that sends one message to its parent
 */
export async function isolated<Message>(
  file: URL,
  args: readonly string[],
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal },
): Promise<Sent<Message>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  // The account that PostgreSQL runs as must be able to enter it.
  chmodSync(folder, 0o755)
  const child = fork(file, args, {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  try {
    return await firstMessage<Message>(child, limitMs, signal)
  } finally {
    await ended(child)
    for (const name of readdirSync(folder)) await endOrphan(join(folder, name, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }
}

function firstMessage<Message>(
  child: ChildProcess,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Sent<Message>> {
  return new Promise((resolve) => {
    const fail = (failure: string) => resolve({ failure })
    let complaint = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaint = (complaint + text).slice(-4_000)
    })
    child.once('message', (message: Message) => resolve({ message }))
    child.once('close', (code) => fail(reasonIn(complaint) ?? `it ended with ${code}`))
    const limit = setTimeout(() => fail(`not done after ${limitMs / 1_000} s`), limitMs)
    child.once('exit', () => clearTimeout(limit))
    signal?.addEventListener('abort', () => fail('interrupted'), { once: true })
  })
}

/** The message of the error that ended it, as Node prints it. */
function reasonIn(complaint: string): string | undefined {
  return /^\w*error(?: \[\w+\])?: (.+)$/im.exec(complaint)?.[1]
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await end
  clearTimeout(killer)
}
