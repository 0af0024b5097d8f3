import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ownCommand } from '../../local/process/own-command.ts'

// Where `npx` has started it; npm's scripts and the parts have the same by `local/caches/start-cache.mjs`.
enableCompileCache(fileURLToPath(new URL('../../.cache/start/compiled', import.meta.url)))

/** The commands, each loaded when it is typed; they return the exit code. */
const COMMANDS: Readonly<Record<string, () => Promise<(args: string[]) => Promise<number>>>> = {
  start: async () => (await import('./commands/start/start.ts')).runStart,
  demo: async () => (await import('./commands/demo/demo.ts')).runDemo,
  simulate: async () => (await import('../../local/simulator/simulate.ts')).runSimulate,
  chain: async () => (await import('../../local/chain/command.ts')).runChain,
}

// What the package's program runs (program.mjs), and `npm start`, `npm run demo`, `npm run simulate` and `npm run chain`.
process.exitCode = await runPlatformCommand(process.argv.slice(2))

/** Runs the command that is typed first; without one, the platform is started. */
async function runPlatformCommand(words: string[]): Promise<number> {
  const [name = 'start', ...rest] = words
  if (name.startsWith('-')) return runPlatformCommand(['start', ...words])
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load) return (await load())(rest)
  console.error(
    `There is no command "${name}", but: ${Object.keys(COMMANDS).join(', ')}. More: ${ownCommand('start', '--help')}`,
  )
  return 2
}
