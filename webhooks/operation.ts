import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { ApiError, ErrorCode } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Page } from './page.ts'

/** What a handler may know of its request beside the parsed input. */
export type Context = {
  /** In every log line and every answer, and passed on to Hasura. */
  requestId: string
  log: Log
}

/** A code that an operation may refuse with; and its status, where that is not the one of the table. */
export type Refusal = ErrorCode | { code: ErrorCode; status: number }

/** What a body may be that is no JSON. */
export type MediaType = 'text/html' | 'text/plain' | 'text/javascript' | 'text/css'

/** What callers are told of an operation: everything in `/openapi.json` that its route does not say. */
export type Description = {
  tag:
    | 'Verification'
    | 'Data'
    | 'Payments'
    | 'Prices'
    | 'Accounts'
    | 'Internal'
    | 'Health'
    | 'Description'
  summary: string
  /** Its own refusals: those of the route (who may ask, how often, how a body is read) are added. */
  errors: readonly Refusal[]
  isDeprecated?: boolean
  /** Whether it reads `Authorization: Bearer`, to be answered more than anybody else is. */
  takesCredentials?: boolean
}

/** What a route does once a request is admitted, counted and parsed into `Input`. */
export type Operation<Services, Input> = Description & {
  /** By status, what is answered other than errors. */
  answers: Readonly<Record<number, z.ZodType | MediaType>>
  handle(services: Services): (input: Input, request: Request, response: Response) => unknown
  /** The body that it passes on to somebody else, together with their answer. */
  passesOn?: z.ZodType
  /** Done first of all, also for who is refused. */
  before?(services: Services): RequestHandler
  /** Whether a request is meant for it; if not, it is a later route's of the same path. */
  takes?(request: Request): boolean
  /** How a person is told of an error, where it is people who come. */
  errorPage?(error: ApiError): Page
}

type Special<Services> = Pick<Operation<Services, unknown>, 'before' | 'takes' | 'errorPage'>

type Describing<Services, Output> = Description &
  Special<Services> & {
    output: Output
    /** Of the answer; 200 unless said. */
    status?: number
  }

/** An operation from a parsed input to a JSON answer, whose type is checked against its description. */
export function operation<Services, Input, Output extends z.ZodType>(
  { output, status = 200, ...description }: Describing<Services, Output>,
  handle: (services: Services) => (input: Input, context: Context) => Promise<z.infer<Output>>,
): Operation<Services, Input> {
  return {
    ...description,
    answers: { [status]: output },
    handle(services) {
      const run = handle(services)
      return async (input, _request, response) => {
        response.status(status).json(await run(input, response.locals.context))
      }
    },
  }
}
