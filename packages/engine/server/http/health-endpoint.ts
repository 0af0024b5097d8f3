import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, textReply } from './endpoint.ts'

/**
 * GET /healthz: reports whether the metadata database answers within three seconds. Inconsistent metadata is a warning, or an
 * error with `?strict=true`.
 */
export const healthEndpoint: Endpoint = async ({ search }, { engine }) => {
  const isReachable = engine.metadataDatabase.pool.query('select 1').then(
    () => true,
    () => false,
  )
  // Waits one more turn, because after a stall of the event loop the timer fires before the engine reads the database's answer.
  const timedOut = sleep(DATABASE_TIMEOUT_MS, false, { ref: false }).then(nextTurn)
  if (!(await Promise.race([isReachable, timedOut]))) return textReply(500, 'ERROR')
  if (engine.schemaCache().inconsistencies.length === 0) return textReply(200, 'OK')
  return search().get('strict') === 'true'
    ? textReply(500, 'ERROR: inconsistent objects in schema')
    : textReply(200, 'WARN: inconsistent objects in schema')
}

/** Short, because clients of health checks have short timeouts. */
const DATABASE_TIMEOUT_MS = 3_000
