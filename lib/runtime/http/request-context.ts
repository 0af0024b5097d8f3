import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { createRequestValue } from './request-value.ts'

/** The facts of an error that the request log of an app keeps. */
export type RequestRefusal = {
  /** The code of the response, or the OAuth error that a redirect brings to the website. */
  code: string
  attribute: string | null
  message: string
  results: readonly object[] | null
}

/** The id, the error code and the log of a request. */
export class RequestContext {
  /** The request's id. It is in the log lines and the response of the request, and many calls to Hasura send it. */
  readonly requestId: string
  /** The error code of the response, for the log and the metrics. */
  errorCode: ErrorCode | null = null
  /** The error of the response for the request log; null if the request was not refused. */
  refusal: RequestRefusal | null = null
  /**
   * The id by which the request names its app: the id of the app, of its relying party, or of one of its actions. Null if
   * the request names no app, or was refused before the id was read.
   */
  appReference: string | null = null
  readonly #log: Log

  constructor(requestId: string, log: Log) {
    this.requestId = requestId
    this.#log = log
  }

  /** A log that adds the request id to every line. It is created on demand, because few requests log anything. */
  get log(): Log {
    return this.#log.child({ request_id: this.requestId })
  }
}

export const requestContext = createRequestValue<RequestContext>('the context of the request')

/** Returns the caller's request id if it is well-formed, else a new id. */
export function readRequestId({ 'x-request-id': header }: IncomingHttpHeaders): string {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : randomUUID()
}
