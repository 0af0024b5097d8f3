import { expect } from 'vitest'
import type { Database } from '../../../../test/support/database.ts'

/** Takes an advisory lock of PostgreSQL. A statement that requests the same lock waits until the test releases it. */
export async function holdAdvisoryLock({ query }: Database, key = '1') {
  await query(`select pg_advisory_lock(${key})`)
  return {
    /** Resolves when exactly one request waits for a lock of this connection. */
    async waitUntilRequested() {
      const waiting =
        'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'
      await expect.poll(async () => (await query(waiting)).rowCount).toBe(1)
    },
    async release() {
      await query(`select pg_advisory_unlock(${key})`)
    },
  }
}
