import type { Request, Response } from 'express'
import type { ApiError } from '../errors.ts'
import type { RenderedPage } from '../http/error-answer.ts'
import { requestValue } from '../http/request-value.ts'

/** Shows an error to a person. */
export type ErrorPage = (error: ApiError, request: Request, response: Response) => RenderedPage

/** How the errors of the current request are shown, on routes that people visit. */
export const errorPage = requestValue<ErrorPage>('the page of an error')
