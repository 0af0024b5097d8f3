import type { ApiError, ErrorCode } from '../../lib/runtime/errors.ts'

/** The OAuth errors of our codes. A code that is not listed has the OAuth error `invalid_request`. */
const OAUTH_ERRORS: Partial<Record<ErrorCode, string>> = {
  invalid_redirect_uri: 'invalid_redirect_uri',
  validation_error: 'invalid_client_metadata',
  invalid_client_id: 'invalid_client',
  unauthenticated: 'invalid_client',
  invalid_scope: 'invalid_scope',
  invalid_grant_type: 'unsupported_grant_type',
  invalid_grant: 'invalid_grant',
  invalid_token: 'invalid_token',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal_error: 'server_error',
}

/**
 * Returns the error body of the sign-in server. It contains the developer API's `{ code, detail, attribute }` and
 * OAuth's `{ error, error_description }` (RFC 6749 5.2).
 */
export function signInErrorBody({ code, message, attribute }: ApiError, detail: string) {
  const error = OAUTH_ERRORS[code] ?? 'invalid_request'
  return { code, detail, attribute, error, error_description: message }
}

/**
 * Returns the error body of an endpoint that requires an access token. Without a token the OAuth error is
 * `invalid_token` (RFC 6750 3.1), and not `invalid_client`.
 */
export function bearerErrorBody(failure: ApiError, detail: string) {
  const body = signInErrorBody(failure, detail)
  return failure.code === 'unauthenticated' ? { ...body, error: 'invalid_token' } : body
}
