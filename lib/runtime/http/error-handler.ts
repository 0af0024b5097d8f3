import type { ErrorRequestHandler, Request, Response } from 'express'
import { ApiError } from '../errors.ts'
import { createRefusalDelay } from '../limits/delay-refusals.ts'
import { createErrorAnswer, type ErrorView } from './error-answer.ts'
import { requestContext } from './request-context.ts'

/** The part of error handling that differs between the services. */
export type ErrorForm = {
  /** Converts any thrown value to an error with a code. */
  translate(thrown: unknown): ApiError
  view(error: ApiError, request: Request, response: Response): ErrorView
}

/** Answers a request after its handler threw an error. Logs only server errors (5xx), with their cause. */
export function handleErrors({ translate, view }: ErrorForm): ErrorRequestHandler {
  const delayRefusal = createRefusalDelay()
  return async (thrown: unknown, request, response, next) => {
    const error = translate(thrown)
    const context = requestContext.get(response)
    context.errorCode = error.code
    context.refusal = error
    if (error.status >= 500) context.log.error({ code: error.code, err: error.cause }, 'failed')
    if (response.headersSent) return next(error)
    await delayRefusal({ error, request, response })
    const answer = createErrorAnswer(error, view(error, request, response), context.requestId)
    response.status(answer.status).set(answer.headers)
    if (typeof answer.body === 'string') response.send(answer.body)
    else response.json(answer.body)
  }
}

/** Translates an error of Express's body or path parser by its documented status. Returns null for any other error. */
export function translateExpressError(thrown: unknown): ApiError | null {
  if (!(thrown instanceof Error) || !('status' in thrown)) return null
  if (thrown instanceof ApiError) return thrown
  if (thrown.status === 413) return new ApiError('payload_too_large', { cause: thrown })
  if (thrown.status === 415)
    return new ApiError('invalid_content_type', {
      attribute: 'content-encoding',
      detail: 'Send the body as it is, or compressed with gzip, deflate or br.',
      cause: thrown,
    })
  if (thrown.status !== 400) return null
  return new ApiError('invalid_request', { detail: 'The request is malformed.', cause: thrown })
}
