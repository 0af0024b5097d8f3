import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { requestValue } from './request-value.ts'

/** What is known about every request. */
export class RequestContext {
  /** Is in every log line and every answer, and is passed on to Hasura. */
  readonly requestId: string
  /** The code of the error that the request was answered with, for the log and the metrics. */
  errorCode: ErrorCode | null = null
  readonly #log: Log

  constructor(requestId: string, log: Log) {
    this.requestId = requestId
    this.#log = log
  }

  /** Adds the request id to every line; made only when needed, which is seldom. */
  get log(): Log {
    return this.#log.child({ request_id: this.requestId })
  }
}

/** The context of the request that a response answers. */
export const requestContext = requestValue<RequestContext>('the context of the request')

/** The id that the caller gave, if it is well-formed; else a new one. */
export function readRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
}
