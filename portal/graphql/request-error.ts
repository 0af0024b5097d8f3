import { databaseRefusal } from './database-refusals.ts'
import type { GraphqlError } from './response-schemas.ts'

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

/** True if the user has cancelled the request. */
export function isCancelled(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'cancelled'
}

/** True if the user's role does not allow the request. */
export function isForbidden(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'permission-error'
}

/** True if the page cannot know whether the request was carried out, since its response is missing. */
export function isUncertain(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    ['cancelled', 'timeout', 'connection-lost', 'unavailable'].includes(error.code)
  )
}

/** Converts an error of a GraphQL response. */
export function toRequestError(cause: GraphqlError): RequestError {
  const { code } = cause.extensions
  const { message, attribute } = databaseRefusal(cause.message) ?? {
    message: IN_WORDS[code] ?? cause.message,
  }
  return new RequestError(message, { code, attribute: attribute ?? null, cause })
}

type Connection = {
  isCancelled: boolean
  /** True if the request took too long. */
  isLate: boolean
  /** True if the browser has sent nothing. */
  isUnsent: boolean
  isOffline: boolean
  isChange: boolean
}

/** Returns the error to show for a request without a response. */
export function connectionFailure(cause: unknown, connection: Connection): RequestError {
  const { isLate, isUnsent, isOffline, isChange } = connection
  if (connection.isCancelled) return cancellation(cause)
  const outcome = isChange && !isUnsent ? 'change' : 'read'
  if (isLate) return new RequestError(LATE[outcome], { code: 'timeout', cause })
  if (isOffline)
    return new RequestError(OFFLINE[outcome], {
      code: isUnsent ? 'offline' : 'connection-lost',
      cause,
    })
  return new RequestError(UNREACHABLE[outcome], { code: 'unavailable', cause })
}

/** Returns the error for a request that the user has cancelled. */
export function cancellation(cause?: unknown): RequestError {
  return new RequestError(
    'The change was already on its way, so it may have been made. Check the page before you try again.',
    { code: 'cancelled', cause },
  )
}

const LATE = {
  change:
    'The platform has not answered for 30 seconds. The change may have been made. Check the page before you try again.',
  read: 'The platform has not answered for 30 seconds. Check your connection and try again.',
}

const OFFLINE = {
  change:
    'You are offline: the connection ended before the platform answered. The change may have been made. Check the page when you are online again.',
  read: 'You are offline: nothing was sent. Connect to the network, then try again.',
}

const UNREACHABLE = {
  change:
    'The platform cannot be reached. Check your connection, and whether the change was made. Then try again.',
  read: 'The platform cannot be reached. Check your connection and try again.',
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
