import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'

/** Answers a method that a path does not have. */
export function refuseMethod(allowed: readonly string[]): RequestHandler {
  return ({ method }, response) => {
    response.setHeader('allow', allowed.join(', '))
    throw new ApiError('method_not_allowed', {
      detail: `This path does not support ${method}: use ${allowed.join(' or ')}.`,
    })
  }
}

/** Answers a path that does not exist. */
export const refusePath: RequestHandler = () => {
  throw new ApiError('not_found', { detail: 'No such path.' })
}
