import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { type RequestContext, requestContext } from '../http/request-context.ts'
import { callerAddress } from '../limits/rate-limiter.ts'
import type { ErrorPage } from './error-page.ts'
import { markReplayed, type Repeatable, readRepeatable } from './idempotency-key.ts'

/** What a handler may know about its request besides the parsed input. */
export type Context = Pick<RequestContext, 'requestId' | 'log'> & {
  /** The caller's address; for IPv6 its network. */
  address: string
  /** Of an operation that takes idempotency keys, if the request has one. */
  repeatable: Repeatable | null
  /** Tells the caller that the answer was given before. */
  markReplayed(): void
}

/** A code that an operation may refuse with, and what differs from the table of codes. */
export type Refusal =
  | ErrorCode
  | { code: ErrorCode; status: number; message?: string; attribute?: string }

/** Content types of bodies other than JSON. */
export type MediaType = 'text/html' | 'text/plain' | 'text/javascript' | 'text/css'

/** The requirements of a request's credentials, as OpenAPI names them: one of these schemes, `{}` for none. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

/** What callers are told about an operation: everything in `/openapi.json` that its route does not say. */
export type Description = {
  tag: string
  summary: string
  /** More about it, in Markdown. */
  description?: string
  /** The name of the operation in generated clients; made from its path by default. */
  operationId?: string
  /** Its own refusals: those of the route (who may ask, how often, how a body is read) are added. */
  errors: readonly Refusal[]
  isDeprecated?: boolean
  /** The credentials that it reads. */
  security?: Security
  /** Whether it reads `Idempotency-Key`. */
  takesIdempotencyKey?: boolean
}

/** What a route does once a request is admitted, counted and parsed into `Input`. */
export type Operation<Services, Input> = Description & {
  /** What is answered, by status; errors are listed apart. */
  answers: Readonly<Record<number, z.ZodType | MediaType | 'redirect'>>
  /** What is answered in another type of JSON to clients that prefer it, by status. */
  inOtherType?: { type: string; answers: Readonly<Record<number, z.ZodType>> }
  handle(services: Services): (input: Input, request: Request, response: Response) => unknown
  /** The schema of a body that is passed on unread, for the description only. */
  passesOn?: z.ZodType
  /** Finds out who calls, by the input, before the rate limit counts the request. */
  identify?(
    services: Services,
  ): (input: Input, request: Request, response: Response) => Promise<void>
  /** Runs before everything else, so also for requests that are then refused. */
  before?(services: Services): RequestHandler
  /** Whether a request is meant for this operation; if not, the next route with the same path gets it. */
  takes?(request: Request): boolean
  /** How an error is shown to a person, on routes that people visit. */
  errorPage?: ErrorPage
  /** The longest body that is read; by default that of its kind. */
  maxBytes?: number
  /** The code of an invalid field, unless the schema names another one; `validation_error` by default. */
  invalid?: ErrorCode
}

type Extras<Services> = Pick<
  Operation<Services, unknown>,
  'before' | 'takes' | 'errorPage' | 'maxBytes' | 'invalid'
>

type JsonDescription<Services, Output> = Description &
  Extras<Services> & {
    output: Output
    /** Of the answer; 200 by default. */
    status?: number
  }

/** An operation from a parsed input to a JSON answer, whose type is checked against its description. */
export function jsonOperation<Services, Input, Output extends z.ZodType>(
  { output, status = 200, ...description }: JsonDescription<Services, Output>,
  handle: (
    services: Services,
  ) => (
    input: Input,
    context: Context,
    request: Request,
    response: Response,
  ) => Promise<z.infer<Output>>,
): Operation<Services, Input> {
  return {
    ...description,
    answers: { [status]: output },
    handle(services) {
      const run = handle(services)
      return async (input, request, response) => {
        const { requestId, log } = requestContext.get(response)
        const context = {
          requestId,
          log,
          address: callerAddress(request),
          repeatable: description.takesIdempotencyKey
            ? readRepeatable(request, () => JSON.stringify(input))
            : null,
          markReplayed: () => markReplayed(response),
        }
        response.status(status).json(await run(input, context, request, response))
      }
    },
  }
}
