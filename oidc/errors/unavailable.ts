import { type Adapter, errors } from 'oidc-provider'
import { DatabaseError } from 'pg'
import { ApiError } from '../../lib/runtime/errors.ts'

/** The error that oidc-provider sends while the database or Hasura is unavailable, so that clients retry. */
class Unavailable extends errors.OIDCProviderError {
  override readonly expose = true
  override readonly error_description = 'A part of the service is unavailable: try again shortly.'

  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable', { cause })
  }
}

/** Wraps an adapter so that oidc-provider reports a lost connection to clients as 503. */
export function withUnavailableErrors(adapter: Adapter): Adapter {
  return {
    upsert: (...args) => adapter.upsert(...args).catch(throwLibraryError),
    find: (...args) => adapter.find(...args).catch(throwLibraryError),
    consume: (...args) => adapter.consume(...args).catch(throwLibraryError),
    destroy: (...args) => adapter.destroy(...args).catch(throwLibraryError),
    revokeByGrantId: (...args) => adapter.revokeByGrantId(...args).catch(throwLibraryError),
    findByUid: adapter.findByUid,
    findByUserCode: adapter.findByUserCode,
  }
}

function throwLibraryError(error: unknown): never {
  throw toLibraryError(error)
}

/** Returns the error, or an `Unavailable` instead if the error means that the database or Hasura is unavailable. */
export function toLibraryError(error: unknown): unknown {
  return isUnavailable(error) ? new Unavailable(error) : error
}

/**
 * True if an error means that the database or Hasura cannot be used now. These errors are:
 *
 * - an `ApiError` with the code `unavailable`;
 * - an error of PostgreSQL that is FATAL, or whose SQLSTATE has the class 08 (connection), 53 (resources) or 57 (operator);
 * - an error of PostgreSQL that waited too long for a lock (55P03), or whose server has become a standby (25006);
 * - an error of Node or pg for a host that is unknown or unreachable, or for a connection that failed or timed out.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof errors.OIDCProviderError) return false
  if (error instanceof ApiError) return error.code === 'unavailable'
  if (error instanceof DatabaseError)
    return error.severity === 'FATAL' || /^(08|53|57|55P03|25006)/.test(error.code ?? '')
  return error instanceof Error && LOST.test(codeAndMessage(error))
}

/** The codes and messages of Node and pg for failed connections. */
const LOST = /ENOTFOUND|EAI_AGAIN|EHOST|ENET|ECONN|EPIPE|ETIMEDOUT|terminat|timeout|timed out/i

function codeAndMessage(error: Error): string {
  return `${'code' in error ? error.code : ''} ${error.message}`
}
