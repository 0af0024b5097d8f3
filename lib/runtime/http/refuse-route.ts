import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'

/** Answers 405 to a method that the path does not support. */
export function refuseMethod(allowed: readonly string[]): RequestHandler {
  return ({ method }, response) => {
    response.setHeader('allow', allowed.join(', '))
    throw new ApiError('method_not_allowed', {
      detail: `This path does not support ${method}: use ${allowed.join(' or ')}.`,
    })
  }
}

/** Answers 404 to an unknown path. */
export const refusePath: RequestHandler = () => {
  throw new ApiError('not_found', { detail: 'No such path.' })
}
