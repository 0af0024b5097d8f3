import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** Reads the programs of a Markdown page by the two words after the opening backquotes, such as `js verify`. */
export function readPrograms(page: string): ReadonlyMap<string, string> {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(\w+ \S+)\n(.*?)^```$/gms)
  return new Map([...blocks].map(([, name = '', program = '']) => [name, program]))
}

/** True if a program is installed: if it exits with 0 when it gets these arguments, by default `--version`. */
export function isInstalled(command: string, ...words: string[]): boolean {
  return spawnSync(command, words.length > 0 ? words : ['--version']).status === 0
}

type Run = { env: Record<string, string>; input?: string }

/** Runs a command with the environment `env` and this process's PATH. `output` is its stdout, followed by its stderr. */
export async function runToEnd([command = '', ...words]: string[], { env, input = '' }: Run) {
  const { PATH = '' } = process.env
  const child = spawn(command, words, { env: { PATH, ...env }, stdio: 'pipe' })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  // A program that does not read its input may have ended before the input is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, output: (await output).join('') }
}
