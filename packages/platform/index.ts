import '../../local/process/require-node.mjs'

export type { PlatformOptions, Purpose, Purpose4, TestPlatform } from './testing/test-platform.ts'

type TestPlatformModule = typeof import('./testing/test-platform.ts')

/**
 * Starts the whole platform for tests, on free ports: database, GraphQL, chain, mail, APIs and simulator. All parts end with this
 * process. The platform's code is loaded only here, because an old Node cannot parse it.
 *
 * @throws RangeError if `timeoutMs` is out of range
 * @throws Error that says which part did not start and why
 */
export const startPlatform: TestPlatformModule['startPlatform'] = async (options) =>
  (await import('./testing/test-platform.ts')).startPlatform(options)
