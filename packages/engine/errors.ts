/**
 * The codes in `extensions.code`, with the HTTP status for the metadata API and REST endpoints. `/v1/graphql` answers most
 * errors with 200 (`server/http/graphql-endpoint.ts`). Hasura has all codes except `query-too-costly` and
 * `rate-limit-exceeded`.
 *
 * @see https://hasura.io/docs/2.0/api-reference/graphql-api/index/
 */
const STATUS = {
  'access-denied': 401,
  'already-exists': 400,
  'already-tracked': 400,
  'already-untracked': 400,
  'bad-request': 400,
  busy: 400,
  'coercion-error': 400,
  'concurrent-update': 400,
  conflict: 409,
  'constraint-error': 400,
  'constraint-violation': 400,
  'cyclic-dependency': 400,
  'data-exception': 400,
  'dependency-error': 400,
  'invalid-configuration': 400,
  'invalid-headers': 400,
  'invalid-json': 400,
  'invalid-jwt': 400,
  'invalid-params': 400,
  'jwt-invalid-claims': 400,
  'jwt-missing-role-claims': 400,
  'method-not-allowed': 405,
  'not-exists': 400,
  'not-found': 404,
  'not-supported': 400,
  'parse-failed': 400,
  'permission-denied': 400,
  'permission-error': 400,
  'postgres-error': 500,
  'postgres-max-connections-error': 500,
  'query-too-costly': 400,
  'rate-limit-exceeded': 429,
  'remote-schema-conflicts': 400,
  'remote-schema-error': 400,
  'start-failed': 400,
  'template-resolution-failed': 400,
  timeout: 500,
  unexpected: 500,
  'unexpected-payload': 400,
  'validation-failed': 400,
} as const

export type ErrorCode = keyof typeof STATUS

type ErrorContext = {
  path?: string
  status?: number
  internal?: unknown
  cause?: unknown
  retryAfterSeconds?: number
}

/** An error for the client. Most clients do not get its `internal` part (`session/render-error.ts`). */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: ErrorCode
  readonly status: number
  /** JSONPath of the wrong part of the request. */
  readonly path: string
  readonly internal: unknown
  /** The seconds after which the client may retry; null if the engine cannot name a time. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: ErrorCode,
    message: string,
    { path = '$', status, internal, cause, retryAfterSeconds }: ErrorContext = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status ?? STATUS[code]
    this.path = path
    this.internal = internal
    this.retryAfterSeconds = retryAfterSeconds ?? null
  }
}

/** An error from an action's handler. Clients of `/v1/graphql` get its message and `extensions` unchanged. */
export class HandlerError extends EngineError {
  /** The handler's `extensions`, which may be any JSON value; `path` and `code` if the handler sends none. */
  readonly extensions: unknown
  /** The `code` next to the handler's `extensions`; `unexpected` if the handler sends none. */
  readonly handlerCode: string

  constructor(message: string, handlerCode: string, extensions: unknown) {
    super('unexpected', message, { status: 400 })
    this.handlerCode = handlerCode
    this.extensions = extensions
  }
}

/** Creates the error for a wrong part of the request. */
export function validationError(path: string, message: string): EngineError {
  return new EngineError('validation-failed', message, { path })
}
