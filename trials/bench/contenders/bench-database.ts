import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** Where a measurement runs: a folder and a PostgreSQL of its own. */
export type BenchDatabase = {
  folder: string
  databaseUrl: string
  logFile: string
  /** Registers something to be ended before the database is, in the order of the calls. */
  onStop(stop: () => Promise<void>): void
  /** Ends everything and deletes the folder. */
  stop(): Promise<void>
}

/** Makes the folder and starts the database. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = temporaryFolder('bench-')
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    // The comparison is of the servers, not the disk.
    settings: ['fsync=off', 'synchronous_commit=off', 'shared_buffers=512MB', 'max_wal_size=4GB'],
  })
  const stopActions: (() => Promise<void>)[] = []
  return {
    folder,
    databaseUrl: postgres.url,
    logFile: join(folder, 'servers.log'),
    onStop: (stop) => stopActions.push(stop),
    async stop() {
      for (const stop of stopActions) await stop()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
