import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** A PostgreSQL for tests. */
export type TestDatabaseServer = {
  /** The address with the name and password of a superuser. Pass it to `startEngine({ databaseUrl })`. */
  url: string
  /** Stops the server, and deletes its data. */
  close(): Promise<void>
}

/**
 * Starts an empty PostgreSQL server. `close` also deletes its data. Call this function in the global set-up of a test runner, so
 * that all processes of the runner share one server. Needs the package `embedded-postgres`.
 *
 * @throws Error with a message for the terminal
 */
export async function startDatabase(): Promise<TestDatabaseServer> {
  const folder = temporaryFolder('postgres-graphql-engine-')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { url, stop } = await startPostgres({
      folder: join(folder, 'postgres'),
      port: await freePort(),
      remedy: 'Or pass startEngine the databaseUrl of your own PostgreSQL.',
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

/** Settings for data that need not survive a crash, and enough connections for many engines. */
const SETTINGS = [
  'max_connections=1000',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
]
