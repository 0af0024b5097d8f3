import '../../local/process/require-node.mjs'

export type { PlatformOptions, Purpose, TestPlatform } from './testing/test-platform.ts'

type TestPlatformModule = typeof import('./testing/test-platform.ts')

/**
 * Starts the whole platform for tests, on free ports: database, GraphQL, chain, mail, APIs and simulator. All of it ends with this
 * process. Loaded when it is called, since an old Node cannot read what it imports.
 *
 * @throws RangeError for a `timeoutMs` that is out of bounds
 * @throws Error with a sentence that says what did not start and why
 */
export const startPlatform: TestPlatformModule['startPlatform'] = async (options) =>
  (await import('./testing/test-platform.ts')).startPlatform(options)
