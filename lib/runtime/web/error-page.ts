import type { Request, Response } from 'express'
import type { ApiError } from '../errors.ts'
import type { RenderedPage } from '../http/error-answer.ts'
import { createRequestValue } from '../http/request-value.ts'

/** Renders an error as an HTML page. */
export type ErrorPage = (error: ApiError, request: Request, response: Response) => RenderedPage

/** The error page of the current request, on routes that people visit. */
export const errorPage = createRequestValue<ErrorPage>('the error page')
