import type { Log } from '../../../../lib/runtime/log/log.ts'
import type { EngineError } from '../../errors.ts'
import { toEngineError } from '../../session/render-error.ts'

/** Where a request failed; `path` is that of its endpoint, or names the WebSocket's API. */
type Failed = { requestId: string; path: string }

/**
 * Logs why a request failed: a fault of ours or of the database as an error, a refusal for `debug` only.
 *
 * @returns what the client is answered
 */
export function logFailure(thrown: unknown, { requestId, path }: Failed, log: Log): EngineError {
  const error = toEngineError(thrown)
  const { code, status, cause } = error
  const fields = { request_id: requestId, path, code, cause }
  if (status >= 500) log.error(fields, 'request failed')
  else log.debug(fields, 'request refused')
  return error
}
