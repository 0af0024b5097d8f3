import { setTimeout as sleep } from 'node:timers/promises'
import { VERSION } from '../version.ts'
import { type Endpoint, jsonReply, textReply } from './endpoint.ts'

/**
 * GET /healthz: whether the database answers;
 * inconsistent metadata is mentioned, and an error with `?strict=true`.
 */
export const healthEndpoint: Endpoint = async ({ search }, { engine }) => {
  const answered = engine.pool.query('select 1').then(
    () => true,
    () => false,
  )
  const late = sleep(DATABASE_TIMEOUT_MS, false, { ref: false })
  if (!(await Promise.race([answered, late]))) return textReply(500, 'ERROR')
  if (engine.schemaCache().inconsistencies.length === 0) return textReply(200, 'OK')
  return search().get('strict') === 'true'
    ? textReply(500, 'ERROR: inconsistent objects in schema')
    : textReply(200, 'WARN: inconsistent objects in schema')
}

/** How long to wait for the database: health checks have short time-outs. */
const DATABASE_TIMEOUT_MS = 3_000

/** GET /v1/version */
export const versionEndpoint: Endpoint = async () =>
  jsonReply(JSON.stringify({ server_type: 'ce', version: VERSION }))
