import { setTimeout as sleep } from 'node:timers/promises'
import { VERSION } from '../version.ts'
import { type Endpoint, json, text } from './endpoint.ts'

/**
 * GET /healthz: whether the database answers;
 * inconsistent metadata is mentioned, and an error with `?strict=true`.
 */
export const healthz: Endpoint = async ({ search }, { engine }) => {
  const answered = engine.pool.query('select 1').then(
    () => true,
    () => false,
  )
  const late = sleep(PATIENCE_MS, false, { ref: false })
  if (!(await Promise.race([answered, late]))) return text(500, 'ERROR')
  if (engine.snapshot().inconsistencies.length === 0) return text(200, 'OK')
  return search().get('strict') === 'true'
    ? text(500, 'ERROR: inconsistent objects in schema')
    : text(200, 'WARN: inconsistent objects in schema')
}

/** How long to wait for the database: health checks have short time-outs. */
const PATIENCE_MS = 3_000

/** GET /v1/version */
export const version: Endpoint = async () =>
  json(JSON.stringify({ server_type: 'ce', version: VERSION }))
