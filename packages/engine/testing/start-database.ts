import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** A PostgreSQL for tests. */
export type TestDatabaseServer = {
  /** A superuser's address, for `startEngine({ databaseUrl })`. */
  url: string
  /** Ends it, and removes all that it had. */
  close(): Promise<void>
}

/**
 * Starts a PostgreSQL with nothing in it, which forgets everything: for the global set-up of a test runner, so that all its
 * processes share one. Needs the package `embedded-postgres`.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export async function startDatabase(): Promise<TestDatabaseServer> {
  const folder = temporaryFolder('postgres-graphql-engine-')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { url, stop } = await startPostgres({
      folder: join(folder, 'postgres'),
      port: await freePort(),
      remedy: 'Or give startEngine the databaseUrl of a PostgreSQL of yours.',
      settings: SETTINGS,
    })
    return {
      url,
      async close() {
        await stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Nothing has to last, and many engines connect. */
const SETTINGS = [
  'max_connections=1000',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
]
