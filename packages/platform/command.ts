import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { formatCommandLine } from '../../local/process/format-command-line.ts'

// Caches compiled code if `npx` has started this program. npm's scripts and the parts use `local/caches/start-cache.mjs`.
enableCompileCache(fileURLToPath(new URL('../../.cache/start/compiled', import.meta.url)))

/** Loads each command on demand. A command returns the exit code. */
const COMMANDS: Readonly<Record<string, () => Promise<(args: string[]) => Promise<number>>>> = {
  start: async () => (await import('./commands/start/start.ts')).runStart,
  demo: async () => (await import('./commands/demo/demo.ts')).runDemo,
  simulate: async () => (await import('../../local/simulator/simulate.ts')).runSimulate,
  'import-app': async () => (await import('./commands/import-app/import-app.ts')).runImportApp,
  chain: async () => (await import('../../local/chain/command.ts')).runChain,
}

// The package's program (program.mjs) runs this module, and so do `npm start` and `npm run demo`, `simulate` and `chain`.
process.exitCode = await runPlatformCommand(process.argv.slice(2))

/** Runs the command that the first word names, by default `start`. */
async function runPlatformCommand(words: string[]): Promise<number> {
  const [name = 'start', ...args] = words
  if (name.startsWith('-')) return runPlatformCommand(['start', ...words])
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load) return (await load())(args)
  console.error(
    `Unknown command "${name}". Use one of: ${Object.keys(COMMANDS).join(', ')}. Help: ${formatCommandLine('start', '--help')}`,
  )
  return 2
}
