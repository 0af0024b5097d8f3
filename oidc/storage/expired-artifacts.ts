import type { Pool } from 'pg'
import { EXPIRY_GRACE } from './artifact-statement.ts'

const BATCH_SIZE = 5_000

/** The key of the advisory lock. The number is arbitrary, but the same in every instance. */
const LOCK_KEY = 1_763_600_030

/** Deletes expired artifacts, unless another instance is deleting them. */
export async function deleteExpiredArtifacts(pool: Pool): Promise<void> {
  // In batches, so that no statement locks many rows for long.
  for (;;) {
    const { rowCount } = await pool.query(DELETE_BATCH)
    if (rowCount !== BATCH_SIZE) return
  }
}

/**
 * Deletes a batch. The lock lasts only for the statement, because a pooler may run the next statement in another
 * session.
 */
const DELETE_BATCH = `
  delete from oidc_artifact
  where ctid = any (array(
    select ctid
    from oidc_artifact
    where (select pg_try_advisory_xact_lock(${LOCK_KEY}))
      and expires_at < now() - ${EXPIRY_GRACE}
    limit ${BATCH_SIZE}
  ))`
