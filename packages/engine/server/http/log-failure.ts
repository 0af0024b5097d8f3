import type { Log } from '../../../../lib/runtime/log/log.ts'
import type { EngineError } from '../../errors.ts'
import { cutText } from '../../log/typed-log.ts'
import { toEngineError } from '../../session/render-error.ts'

/** The request that failed. `path` is the path of the endpoint; for a WebSocket it names the API instead. */
type FailedRequest = { requestId: string; path: string }

/**
 * Logs why a request failed. A fault of the engine or the database is logged as an error. An error of the client is logged only at
 * the level `debug`.
 *
 * @returns the error for the client
 */
export function logFailure(
  thrown: unknown,
  { requestId, path }: FailedRequest,
  log: Log,
): EngineError {
  const error = toEngineError(thrown)
  const { code, status, cause } = error
  const fields = { request_id: cutText(requestId), path: cutText(path), code, cause }
  if (status >= 500) log.error(fields, 'request failed')
  else log.debug(fields, 'request refused')
  return error
}
