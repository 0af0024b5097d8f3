import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** True in the npm package. Its files are JavaScript, because Node strips no types under `node_modules`. */
export const IS_PACKAGE = import.meta.url.endsWith('.js')

/** The name of the package and of its program. */
const PROGRAM = 'personhood-platform'

type Command = 'start' | 'demo' | 'simulate' | 'chain' | 'import-app'

/**
 * Returns a command of the platform as a user types it in a terminal. In this repository the command uses npm. For
 * the package it uses npx in a folder where the package is installed. In other folders it uses the path, because npx
 * would look for the name in the registry.
 *
 * @param options the options of the command
 */
export function formatCommandLine(name: Command, options = ''): string {
  if (IS_PACKAGE)
    return [packageProgram(), ...(name === 'start' ? [] : [name]), options].join(' ').trim()
  return options ? `${NPM[name]} -- ${options}` : NPM[name]
}

function packageProgram(): string {
  const home = fileURLToPath(new URL('../../../', import.meta.url))
  try {
    const require = createRequire(join(process.cwd(), 'package.json'))
    const installedFolder = dirname(require.resolve(`${PROGRAM}/package.json`))
    if (realpathSync(installedFolder) === realpathSync(home)) return `npx ${PROGRAM}`
  } catch {
    // Not installed in this folder.
  }
  return `node ${quoteForShell(join(home, 'dist/packages/platform/program.mjs'))}`
}

/** Quotes a path for a shell. */
export function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** The npm commands. `simulate` prints JSON for another program, so npm must be silent. */
const NPM: Record<Command, string> = {
  start: 'npm start',
  demo: 'npm run demo',
  simulate: 'npm run --silent simulate',
  chain: 'npm run chain',
  'import-app': 'npm run import-app',
}
