import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** The folder and the PostgreSQL of one measurement. */
export type BenchDatabase = {
  folder: string
  databaseUrl: string
  logFile: string
  /** Registers a function that `stop` calls before it stops PostgreSQL. The functions run in the order of registration. */
  onStop(stop: () => Promise<void>): void
  /** Stops everything and deletes the folder. */
  stop(): Promise<void>
}

/** Creates the folder and starts PostgreSQL. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = temporaryFolder('bench-')
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    // Without these settings, the disk would decide the comparison of the servers.
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
