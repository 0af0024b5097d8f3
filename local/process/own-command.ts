import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Node strips no types under `node_modules`: what runs as JavaScript is the package that npm publishes. */
export const IS_PACKAGE = import.meta.url.endsWith('.js')

/** The name of the package and of its program. */
const PROGRAM = 'personhood-platform'

type Command = 'start' | 'demo' | 'simulate' | 'chain'

/**
 * How a person at a terminal types one of our commands: with npm in this repository; for the package with npx in a folder
 * that it is installed in, and by its path elsewhere, where npx would look for the name in the registry.
 *
 * @param words its options, if any
 */
export function ownCommand(name: Command, words = ''): string {
  if (IS_PACKAGE)
    return [packageProgram(), ...(name === 'start' ? [] : [name]), words].join(' ').trim()
  return words ? `${NPM[name]} -- ${words}` : NPM[name]
}

function packageProgram(): string {
  const home = fileURLToPath(new URL('../../../', import.meta.url))
  try {
    const require = createRequire(join(process.cwd(), 'package.json'))
    const found = dirname(require.resolve(`${PROGRAM}/package.json`))
    if (realpathSync(found) === realpathSync(home)) return `npx ${PROGRAM}`
  } catch {
    // Not installed in this folder.
  }
  return `node ${quoted(join(home, 'dist/packages/platform/program.mjs'))}`
}

/** A path as a shell takes it for one word. */
export function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** What is printed for another program is printed without what npm says. */
const NPM: Record<Command, string> = {
  start: 'npm start',
  demo: 'npm run demo',
  simulate: 'npm run --silent simulate',
  chain: 'npm run chain',
}
