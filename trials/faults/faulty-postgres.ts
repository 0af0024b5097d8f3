import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  type Postgres,
  readPostmasterPid,
  startPostgres,
} from '../../local/postgres/embedded-postgres.ts'
import type { ThrowawayPlatform } from '../../packages/platform/testing/throwaway.ts'

export type FaultyPostgres = ReturnType<typeof faultyPostgres>

/** The platform's PostgreSQL, with ways to break it. */
export function faultyPostgres({ folder, facts: { databaseUrl } }: ThrowawayPlatform) {
  const url = new URL(databaseUrl)
  const data = join(folder, 'postgres')
  let restarted: Postgres | null = null
  return {
    kill: () => process.kill(readPostmasterPid(data), 'SIGKILL'),
    /** Its own fast shutdown: sessions are ended, everything is written. */
    shutDown: () => process.kill(readPostmasterPid(data), 'SIGINT'),
    async start() {
      const port = Number(url.port)
      const password = decodeURIComponent(url.password)
      const start = () => startPostgres({ folder: data, port, password })
      // The children of a killed server end a moment later, and a new one cannot start before that.
      const deadline = Date.now() + 10_000
      for (restarted = null; restarted === null; await sleep(50))
        restarted = await start().catch((error: unknown) => {
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
      await restarted?.stop()
    },
  }
}
