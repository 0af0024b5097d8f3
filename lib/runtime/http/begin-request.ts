import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { RequestContext, readRequestId, requestContext } from './request-context.ts'
import { routePath } from './route-path.ts'

/** The result of a request, for the log and the metrics. */
export type RequestOutcome = {
  method: string
  /** The path in the table of routes; null for an unknown path. */
  route: string | null
  /** 499 if the caller disconnected before the response. */
  status: number
  /** The error's code, or null. */
  code: string | null
  ms: number
}

/** Called once for each request, when its response has ended. */
type Measure = (outcome: RequestOutcome, context: RequestContext) => void

/**
 * Gives each request an id (the id that the caller sent, if it is well-formed), and logs a line when the response ends.
 */
export function beginRequest(log: Log, measure: Measure): RequestHandler {
  return (request, response, next) => {
    const requestId = readRequestId(request.headers)
    const startedAt = performance.now()
    const context = new RequestContext(requestId, log)
    requestContext.set(response, context)
    response.setHeader('x-request-id', requestId)
    response.once('close', () => {
      const outcome = {
        method: request.method,
        route: routePath(request),
        status: response.writableFinished ? response.statusCode : 499,
        code: context.errorCode,
        ms: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
      }
      log.info({ request_id: requestId, ...outcome }, 'answered')
      measure(outcome, context)
    })
    requireHost(request)
    next()
  }
}

/** Rejects an HTTP/1.1 request without a Host header, and any with two (RFC 9112 3.2). Node would accept two. */
function requireHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new ApiError('invalid_request', { detail: 'The request must have a Host header.' })
  if (rawHeaders.filter(isHost).length > 1)
    throw new ApiError('invalid_request', { detail: 'The request must have only one Host header.' })
}

/** True if an entry of `rawHeaders` is the header name `Host`. Names have even indexes: names and values alternate. */
function isHost(text: string, index: number): boolean {
  return index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
}
