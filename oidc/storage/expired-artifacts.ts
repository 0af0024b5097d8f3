import type { Pool } from 'pg'
import { EXPIRY_GRACE } from './artifact-statement.ts'

const BATCH_SIZE = 5_000

/** The key of the advisory lock: arbitrary, and the same in every instance. */
const LOCK_KEY = 1_763_600_030

/** Deletes the artifacts that have expired, unless another instance is doing so. */
export async function deleteExpiredArtifacts(pool: Pool): Promise<void> {
  // In batches, so that no statement locks many rows for long.
  for (;;) {
    const { rowCount } = await pool.query(DELETE_BATCH)
    if (rowCount !== BATCH_SIZE) return
  }
}

/** The lock lasts as long as the statement: a pooler may give the next one another session. */
const DELETE_BATCH = `
  delete from oidc_artifact
  where ctid = any (array(
    select ctid
    from oidc_artifact
    where (select pg_try_advisory_xact_lock(${LOCK_KEY}))
      and expires_at < now() - ${EXPIRY_GRACE}
    limit ${BATCH_SIZE}
  ))`
