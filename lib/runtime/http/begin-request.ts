import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { RequestContext, readRequestId, requestContext } from './request-context.ts'
import { routePath } from './route-path.ts'

/** How a request was answered; `code` is the error's, if it was one. */
export type Answered = {
  method: string
  /** As written in the table of routes; null for an unknown path. */
  route: string | null
  /** 499 when the caller did not wait for the answer. */
  status: number
  code: string | null
  ms: number
}

type Measure = (answered: Answered) => void

/** Gives each request its id (the caller's, if it is well-formed) and one log line when it is answered. */
export function beginRequest(log: Log, measure: Measure): RequestHandler {
  return (request, response, next) => {
    const requestId = readRequestId(request.headers)
    const started = performance.now()
    const context = new RequestContext(requestId, log)
    requestContext.set(response, context)
    response.setHeader('x-request-id', requestId)
    response.once('close', () => {
      const answered = {
        method: request.method,
        route: routePath(request),
        status: response.writableFinished ? response.statusCode : 499,
        code: context.errorCode,
        ms: Math.round((performance.now() - started) * 1_000) / 1_000,
      }
      log.info({ request_id: requestId, ...answered }, 'answered')
      measure(answered)
    })
    requireHost(request)
    next()
  }
}

/** Refuses a request without exactly one host (RFC 9112 3.2); Node would answer without a body, or let it pass. */
function requireHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new ApiError('invalid_request', { detail: 'The request names no host.' })
  if (rawHeaders.filter(isHost).length > 1)
    throw new ApiError('invalid_request', { detail: 'The request names more than one host.' })
}

/** In `rawHeaders` names and values alternate. */
function isHost(text: string, index: number): boolean {
  return index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
}
