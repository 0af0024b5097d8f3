import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { START_CACHE } from '../../../../test/support/start-cache.ts'

type Environment = Record<string, string>

/** Starts the command `import-app` with these arguments. */
export function startImport(args: readonly string[], env: Environment) {
  const entry = [...START_CACHE, 'packages/platform/command.ts', 'import-app']
  const child = spawn(process.execPath, [...entry, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const result = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return {
    child,
    ended: result.then(([output, error, [code]]) => ({ code, output, error })),
  }
}

/** Runs the command `import-app` to its end. */
export function runImport(args: readonly string[], env: Environment) {
  return startImport(args, env).ended
}
