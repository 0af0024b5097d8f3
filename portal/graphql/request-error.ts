import type { CombinedError } from '@urql/core'
import { databaseRefusal } from './database-refusals.ts'

/** A failed request, with a message for the user and a code for the page. */
export class RequestError extends Error {
  readonly code: string
  /** The field that the message is about. */
  readonly attribute: string | null

  constructor(message: string, { code, attribute = null, cause }: Reason) {
    super(message, { cause })
    this.code = code
    this.attribute = attribute
  }
}

type Reason = { code: string; attribute?: string | null; cause?: unknown }

/** True if the error means that no user is logged in. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof RequestError && ['access-denied', 'unauthenticated'].includes(error.code)
}

/** True if the same request may succeed soon. */
export function isWorthRetrying(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    ['unavailable', 'rate-limit-exceeded', 'rate_limited'].includes(error.code)
  )
}

/** Converts an error of urql. */
export function asRequestError(cause: CombinedError | undefined): RequestError {
  const [first] = cause?.graphQLErrors ?? []
  if (first) {
    const code = String(first.extensions.code)
    const { message, attribute } = databaseRefusal(first.message) ?? {
      message: IN_WORDS[code] ?? first.message,
    }
    return new RequestError(message, { code, attribute: attribute ?? null, cause })
  }
  const { response = null }: { response?: unknown } = cause ?? {}
  return response instanceof Response ? fromStatus(response.status, cause) : unreachable(cause)
}

/** Returns the error to show if the platform does not answer. */
export function unreachable(cause: unknown): RequestError {
  return new RequestError('The platform cannot be reached. Check your connection and try again.', {
    code: 'unavailable',
    cause,
  })
}

/** Returns the error for a response whose body explains nothing. Only the status is known. */
export function fromStatus(status: number, cause?: unknown): RequestError {
  if (status === 429)
    return new RequestError('Too many requests. Wait a moment, then try again.', {
      code: 'rate_limited',
      cause,
    })
  return new RequestError('The platform is busy. Try again in a moment.', {
    code: 'unavailable',
    cause,
  })
}

/** The messages for Hasura's error codes. Hasura's own messages are written for developers. */
const IN_WORDS: Readonly<Record<string, string>> = {
  'access-denied': 'You are no longer logged in.',
  'permission-error': 'Your role in this team does not allow this.',
  'constraint-violation': 'This value is already taken, or not allowed here.',
  'rate-limit-exceeded': 'Too many requests. Wait a moment, then try again.',
  unexpected: 'The platform could not do this. Try again in a moment.',
}
