import type { ClientBase, Pool } from 'pg'
import { present } from '../../lib/present.ts'
import { EXPIRY_GRACE } from './artifact-statement.ts'

const BATCH_SIZE = 5_000

/** The key of the advisory lock: arbitrary, and the same in every instance. */
const LOCK_KEY = 1_763_600_030

/** Deletes the artifacts that have expired, unless another instance is doing so. */
export async function deleteExpiredArtifacts(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ is_locked: boolean }>(
      'select pg_try_advisory_lock($1) as is_locked',
      [LOCK_KEY],
    )
    if (present(rows[0], 'the answer about the lock').is_locked) await deleteInBatches(client)
  } finally {
    // Ends the connection, and with it the lock.
    client.release(true)
  }
}

/** Deletes in batches, so that no statement locks many rows for long. */
async function deleteInBatches(client: ClientBase): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `delete from oidc_artifact
       where ctid = any (array(
         select ctid from oidc_artifact where expires_at < now() - ${EXPIRY_GRACE} limit ${BATCH_SIZE}
       ))`,
    )
    if (rowCount !== BATCH_SIZE) return
  }
}
