import { type Adapter, errors } from 'oidc-provider'
import { DatabaseError } from 'pg'
import { ApiError } from '../../lib/runtime/errors.ts'

/** What oidc-provider answers while the database or Hasura is unavailable, so that clients try again. */
class Unavailable extends errors.OIDCProviderError {
  override readonly expose = true
  override readonly error_description = 'A part of the service is unavailable: try again shortly.'

  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable', { cause })
  }
}

/** Wraps an adapter so that a lost connection becomes an error that oidc-provider reports to clients. */
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

/** The same error, unless it means that the database or Hasura is unavailable: then one that oidc-provider reports to clients. */
export function toLibraryError(error: unknown): unknown {
  return isUnavailable(error) ? new Unavailable(error) : error
}

/**
 * Whether an error means that the database or Hasura cannot be reached now: its name is not known, there is no way to it, the
 * connection was refused, broke, timed out, or was ended by the server (FATAL, SQLSTATE classes 08, 53, 57), the server waited too long for a
 * lock (55P03), or it has become a standby (25006).
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof errors.OIDCProviderError) return false
  if (error instanceof ApiError) return error.code === 'unavailable'
  if (error instanceof DatabaseError)
    return error.severity === 'FATAL' || /^(08|53|57|55P03|25006)/.test(error.code ?? '')
  return error instanceof Error && LOST.test(codeAndMessage(error))
}

/** What Node and pg say of such connections. */
const LOST = /ENOTFOUND|EAI_AGAIN|EHOST|ENET|ECONN|EPIPE|ETIMEDOUT|terminat|timeout|timed out/i

function codeAndMessage(error: Error): string {
  return `${'code' in error ? error.code : ''} ${error.message}`
}
