import { expect } from 'vitest'
import type { Database } from '../database.ts'

/** Takes the advisory lock 1, so that a statement which requests it lasts until it is released. */
export async function hold({ query }: Database) {
  await query('select pg_advisory_lock(1)')
  return {
    async isWaitedFor() {
      const waiting =
        'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'
      await expect.poll(async () => (await query(waiting)).rowCount).toBe(1)
    },
    async release() {
      await query('select pg_advisory_unlock(1)')
    },
  }
}
