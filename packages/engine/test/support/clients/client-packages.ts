import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe } from 'vitest'

/** The npm project with the packages that only the tests of clients need. */
export const CLIENT_PACKAGES = resolve('packages/engine/test/clients/app')

/** Loads a package, or a file of a package, from the clients' project. */
export const requireClient = createRequire(join(CLIENT_PACKAGES, 'package.json'))

/** Groups the tests of a client. Without the clients' packages, the tests are skipped, and the title says why. */
export function describeClient(name: string, tests: () => void): void {
  const manifest = join(CLIENT_PACKAGES, 'node_modules', name, 'package.json')
  const isInstalled = existsSync(manifest)
  const state = isInstalled
    ? JSON.parse(readFileSync(manifest, 'utf8')).version
    : '(not installed: npm run test:clients)'
  describe.skipIf(!isInstalled)(`${name} ${state} works with the engine`, tests)
}
