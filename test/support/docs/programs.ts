import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** The programs of a page in Markdown, by the two words after the marks, such as `js verify`. */
export function readPrograms(page: string): ReadonlyMap<string, string> {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(\w+ \S+)\n(.*?)^```$/gms)
  return new Map([...blocks].map(([, name = '', program = '']) => [name, program]))
}

/** Whether a program is on this machine: it is asked for its version. */
export function isInstalled(command: string, ...words: string[]): boolean {
  return spawnSync(command, words.length > 0 ? words : ['--version']).status === 0
}

type Run = { env: Record<string, string>; input?: string }

/** Runs a command to its end, with nothing of our environment but the path; `said` is what it wrote, in both ways. */
export async function runToEnd([command = '', ...words]: string[], { env, input = '' }: Run) {
  const { PATH = '' } = process.env
  const child = spawn(command, words, { env: { PATH, ...env }, stdio: 'pipe' })
  const written = Promise.all([text(child.stdout), text(child.stderr)])
  // Who does not read it may have ended before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, said: (await written).join('') }
}
