import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe } from 'vitest'

/** The npm project of the clients: packages that only these tests have. */
export const CLIENT_PACKAGES = resolve('packages/engine/test/clients/app')

/** Loads a package, or a file of one, of the clients' project. */
export const requireClient = createRequire(join(CLIENT_PACKAGES, 'package.json'))

/** The tests of a client; without the clients' packages they are skipped, and their title says why. */
export function describeClient(name: string, tests: () => void): void {
  const manifest = join(CLIENT_PACKAGES, 'node_modules', name, 'package.json')
  const isInstalled = existsSync(manifest)
  const state = isInstalled
    ? JSON.parse(readFileSync(manifest, 'utf8')).version
    : 'is not installed: npm run test:clients'
  describe.skipIf(!isInstalled)(`${name} ${state}`, tests)
}
