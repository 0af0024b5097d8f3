import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { createRequestValue } from './request-value.ts'

/** The id, the error code and the log of a request. */
export class RequestContext {
  /** The request's id. It is in the log lines and the response of the request, and many calls to Hasura send it. */
  readonly requestId: string
  /** The error code of the response, for the log and the metrics. */
  errorCode: ErrorCode | null = null
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
