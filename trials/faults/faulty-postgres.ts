import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  type Postgres,
  readPostmasterPid,
  startPostgres,
} from '../../local/postgres/embedded-postgres.ts'
import type { ThrowawayPlatform } from '../../packages/platform/testing/throwaway.ts'

export type FaultyPostgres = ReturnType<typeof createFaultyPostgres>

/** The platform's PostgreSQL, with ways to break it. */
export function createFaultyPostgres({ folder, facts: { databaseUrl } }: ThrowawayPlatform) {
  const url = new URL(databaseUrl)
  const data = join(folder, 'postgres')
  let restartedPostgres: Postgres | null = null
  return {
    kill: () => process.kill(readPostmasterPid(data), 'SIGKILL'),
    /** A fast shutdown: PostgreSQL ends the sessions and writes everything to disk. */
    shutDown: () => process.kill(readPostmasterPid(data), 'SIGINT'),
    async start() {
      const port = Number(url.port)
      const password = decodeURIComponent(url.password)
      const start = () => startPostgres({ folder: data, port, password })
      // A new server cannot start until the killed server's child processes have ended.
      const deadline = Date.now() + 10_000
      for (restartedPostgres = null; restartedPostgres === null; await sleep(50))
        restartedPostgres = await start().catch((error: unknown) => {
          if (Date.now() > deadline) throw error
          return null
        })
    },
    async query(...statements: string[]) {
      const client = new Client(databaseUrl)
      await client.connect()
      try {
        for (const statement of statements) await client.query(statement)
      } finally {
        await client.end()
      }
    },
    async stop() {
      await restartedPostgres?.stop()
    },
  }
}
