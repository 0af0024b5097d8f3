import { TooBusy } from './too-busy.ts'

/** Every error code of the developer API and the sign-in server. The codes are public: never rename or reuse a code. */
const CODES = {
  required: { status: 400, detail: 'This attribute is required.' },
  invalid_request: { status: 400, detail: 'The request body is not valid JSON.' },
  min_length: { status: 400, detail: 'This attribute is too short.' },
  invalid: { status: 400, detail: 'This attribute is malformed.' },
  already_registered: { status: 400, detail: 'This e-mail address is registered already.' },
  last_owner: {
    status: 400,
    detail: 'The team would have members but no owner: make another member an owner first.',
  },
  invalid_credentials: { status: 400, detail: 'The e-mail address or the password is wrong.' },
  validation_error: { status: 400, detail: 'An attribute is missing or malformed.' },
  invalid_format: { status: 400, detail: 'This attribute cannot be decoded.' },
  invalid_action: { status: 400, detail: 'The app has no such action.' },
  invalid_protocol: {
    status: 400,
    detail: 'The action does not accept proofs of this protocol.',
  },
  configuration_error: {
    status: 400,
    detail: 'The operator must set WORLD_CHAIN_RPC_URL for proofs of protocol 4.0.',
  },
  all_verifications_failed: { status: 400, detail: 'No proof was accepted: see results.' },
  invalid_integrity_bundle: {
    status: 403,
    detail: 'This service cannot check integrity bundles: send the result without it.',
  },
  invalid_engine: { status: 400, detail: 'Proofs of this app are verified on-chain.' },
  external_nullifier_mismatch: {
    status: 400,
    detail: 'The external nullifier does not belong to this action.',
  },
  action_inactive: { status: 400, detail: 'This action is inactive.' },
  max_verifications_reached: {
    status: 400,
    detail: 'This person has reached the verification limit of this action.',
  },
  request_key_exists: {
    status: 400,
    detail: 'The app has a request signing key: rotate it with rotate_request_key.',
  },
  quota_exceeded: { status: 400, detail: 'The quota for these records is used up.' },
  team_blocked: { status: 403, detail: 'This team is blocked: contact the operator.' },
  invalid_merkle_root: {
    status: 400,
    detail: 'No group that proves this level has this Merkle root.',
  },
  root_too_old: { status: 400, detail: 'The Merkle root is too old: make a new proof.' },
  invalid_proof: { status: 400, detail: 'The proof is not valid for these values.' },
  invalid_redirect_uri: { status: 400, detail: 'This redirect URI cannot be used.' },
  invalid_client_id: { status: 400, detail: 'There is no such client.' },
  invalid_scope: { status: 400, detail: 'The scope must include openid.' },
  invalid_grant_type: { status: 400, detail: 'The only grant type is authorization_code.' },
  invalid_grant: { status: 400, detail: 'The code is wrong, expired, or already used.' },
  sign_in_expired: { status: 400, detail: 'This sign-in has expired: go back and start again.' },
  cookie_missing: {
    status: 400,
    detail: 'The browser sent no cookie for this sign-in: allow cookies, then start again.',
  },
  proof_used: { status: 400, detail: 'This proof was already used: make a new proof.' },
  invalid_token: { status: 401, detail: 'The token is invalid or has expired.' },
  unauthenticated: { status: 401, detail: 'Credentials are missing or wrong.' },
  invalid_app: { status: 403, detail: "The app does not belong to the API key's team." },
  permission_denied: { status: 403, detail: 'You do not have permission to do this.' },
  already_verified: { status: 400, detail: 'This person has already verified for this action.' },
  not_found: { status: 404, detail: 'No such record.' },
  method_not_allowed: { status: 405, detail: 'This path does not support this method.' },
  request_under_way: {
    status: 409,
    detail: 'The first request with this key is still running: try again shortly.',
  },
  answer_not_kept: {
    status: 409,
    detail: 'This request succeeded, but its response was not stored. Do not send it again.',
  },
  gone: { status: 410, detail: 'This version is no longer available: use its successor.' },
  payload_too_large: { status: 413, detail: 'The request body is too large.' },
  invalid_content_type: { status: 415, detail: 'Send the body as application/json, in UTF-8.' },
  idempotency_key_reused: {
    status: 422,
    detail: 'This key was already used for a different request: use a new key.',
  },
  rate_limited: { status: 429, detail: 'Too many requests: wait, then try again.' },
  internal_error: { status: 500, detail: 'Something went wrong on our side.' },
  unavailable: { status: 503, detail: 'A part of the service is unavailable: try again shortly.' },
} as const satisfies Record<string, { status: number; detail: string }>

export type ErrorCode = keyof typeof CODES

/** Returns every code, in the order of the table. */
export function errorCodes(): ErrorCode[] {
  return Object.keys(CODES).filter(isErrorCode)
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(CODES, value)
}

/** Returns the default status and detail of a code. A route may override both. */
export function defaultsOfCode(code: ErrorCode): { status: number; detail: string } {
  return CODES[code]
}

type Context = {
  attribute?: string | undefined
  detail?: string
  /** Overrides the status of the table. */
  status?: number
  retryAfterSeconds?: number
  /** The result of each part of the request, for the response. */
  results?: readonly object[]
  cause?: unknown
}

/** An error that ends the request. The response has its documented code. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  /** The wrong field of the request, or null. */
  readonly attribute: string | null
  /** Null if a retry does not help, or if the route sets the header itself. */
  readonly retryAfterSeconds: number | null
  /** The result of each part of the request; null for most errors. */
  readonly results: readonly object[] | null

  constructor(code: ErrorCode, context: Context = {}) {
    const { attribute, detail, status, retryAfterSeconds, results, cause } = context
    super(detail ?? CODES[code].detail, { cause })
    this.code = code
    this.status = status ?? CODES[code].status
    this.attribute = attribute ?? null
    this.results = results ?? null
    this.retryAfterSeconds =
      retryAfterSeconds ?? waitAfter(cause) ?? (this.status === 503 ? 1 : null)
  }
}

/** Returns the seconds to wait if the cause is a full queue; null for any other cause. */
function waitAfter(cause: unknown): number | null {
  return cause instanceof TooBusy ? cause.retryAfterSeconds : null
}

/** Converts any thrown value to an ApiError; an unexpected value becomes `internal_error`. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError('internal_error', { cause: thrown })
}
