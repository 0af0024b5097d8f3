import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** How a program is started: with this environment and nothing else, and with this on its standard input. */
export type Start = { env?: NodeJS.ProcessEnv; input?: string; cwd?: string }

/** How a program ended. */
export type Ended = { code: number | null; said: string; complained: string }

/** Runs a program to its end. It is never killed: who stops a build or a dump half-way leaves more to clear up. */
export async function runProgram(
  [program = '', ...words]: readonly string[],
  { input = '', ...start }: Start = {},
): Promise<Ended> {
  const child = spawn(program, words, { ...start, stdio: 'pipe' })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  try {
    const code = await ended
    const [said, complained] = await output
    return { code, said, complained }
  } catch (error) {
    return { code: null, said: '', complained: error instanceof Error ? error.message : '' }
  }
}

/**
 * The same for a program that must succeed.
 *
 * @returns what it wrote to its standard output
 * @throws Error with the end of what it wrote to its standard error
 */
export async function mustRun(words: readonly string[], start: Start = {}): Promise<string> {
  const { code, said, complained } = await runProgram(words, start)
  if (code === 0) return said.trim()
  const command = words.join(' ').slice(0, 120)
  throw new Error(`${command}: ${code ?? 'not started'}: ${complained.trim().slice(-1_500)}`)
}
