import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The options of a program: its whole environment, its standard input and its folder. */
export type ProgramOptions = { env?: NodeJS.ProcessEnv; input?: string; cwd?: string }

/** The exit code of a program, with its standard output and standard error. */
export type ProgramResult = { code: number | null; output: string; errorOutput: string }

/** Runs a program to its end. Never kills it, because a killed build or dump leaves files behind. */
export async function runProgram(
  [program = '', ...words]: readonly string[],
  { input = '', ...options }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(program, words, { ...options, stdio: 'pipe' })
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const texts = Promise.all([text(child.stdout), text(child.stderr)])
  try {
    const code = await exit
    const [output, errorOutput] = await texts
    return { code, output, errorOutput }
  } catch (error) {
    return { code: null, output: '', errorOutput: error instanceof Error ? error.message : '' }
  }
}

/**
 * Runs a program that must succeed.
 *
 * @returns its standard output
 * @throws Error with the end of its standard error
 */
export async function mustRun(
  words: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { code, output, errorOutput } = await runProgram(words, options)
  if (code === 0) return output.trim()
  const command = words.join(' ').slice(0, 120)
  throw new Error(`${command}: ${code ?? 'not started'}: ${errorOutput.trim().slice(-1_500)}`)
}
