import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { type RequestContext, requestContext } from '../http/request-context.ts'
import { callerAddress } from '../limits/rate-limiter.ts'
import type { ErrorPage } from './error-page.ts'
import { type IdempotentRequest, markReplayed, readIdempotentRequest } from './idempotency-key.ts'

/** The facts about a request that a handler gets besides the parsed input. */
export type Context = Pick<RequestContext, 'requestId' | 'log'> & {
  /** The caller's address; for IPv6 its network. */
  address: string
  /** The idempotency key of the request; null if there is none, or if the operation takes no keys. */
  repeatable: IdempotentRequest | null
  /** Marks the response as already sent to an earlier request. */
  markReplayed(): void
}

/** An error of an operation: a code, and its differences from the table of codes. */
export type Refusal =
  | ErrorCode
  | { code: ErrorCode; status: number; message?: string; attribute?: string }

/** Content types of bodies other than JSON. */
export type MediaType = 'text/html' | 'text/plain' | 'text/javascript' | 'text/css'

/** OpenAPI's security requirements: any of these schemes suffices; `{}` means no credentials. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

/** The description of an operation in `/openapi.json`. */
export type Description = {
  tag: string
  summary: string
  /** Further text in Markdown. */
  description?: string
  /** The function name in generated clients; by default it is derived from the path. */
  operationId?: string
  /** The errors of the operation itself. The route adds the errors of its audience, rate limit and source. */
  errors: readonly Refusal[]
  isDeprecated?: boolean
  /** The credentials that the operation itself reads. */
  security?: Security
  /** The field with an id of the app that the request is for. With it, refused requests enter the request log of the app. */
  appField?: string
  /** True if the operation reads `Idempotency-Key`. */
  takesIdempotencyKey?: boolean
}

/** The work of a route after a request is admitted, counted and parsed into `Input`. */
export type Operation<Services, Input> = Description & {
  /** The responses by status, without errors. */
  answers: Readonly<Record<number, z.ZodType | MediaType | 'redirect'>>
  /** The responses by status in another JSON media type, which all clients get or only the clients that prefer it. */
  inOtherType?: { type: string; answers: Readonly<Record<number, z.ZodType>> }
  handle(services: Services): (input: Input, request: Request, response: Response) => unknown
  /** The schema of a body that is forwarded unread; only for the description. */
  passesOn?: z.ZodType
  /** Identifies the caller from the input, before the rate limit counts the request. */
  identify?(
    services: Services,
  ): (input: Input, request: Request, response: Response) => Promise<void>
  /** Runs before the handlers that may refuse a request for its caller, its rate limit or its input. */
  before?(services: Services): RequestHandler
  /** Returns false to pass a request on to the next route with the same path. */
  takes?(request: Request): boolean
  /** Renders an error as a page, on routes that people visit. */
  errorPage?: ErrorPage
  /** The longest body in bytes; by default it depends on the source. */
  maxBytes?: number
  /** The error code of an invalid field, unless the schema names a code; `validation_error` by default. */
  invalid?: ErrorCode
}

type Extras<Services> = Pick<
  Operation<Services, unknown>,
  'before' | 'takes' | 'errorPage' | 'maxBytes' | 'invalid'
>

type JsonDescription<Services, Output> = Description &
  Extras<Services> & {
    output: Output
    /** The status of the response; 200 by default. */
    status?: number
  }

/** Creates an operation with a JSON response of the type of `output`. Only the compiler checks this type. */
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
            ? readIdempotentRequest(request, () => JSON.stringify(input))
            : null,
          markReplayed: () => markReplayed(response),
        }
        response.status(status).json(await run(input, context, request, response))
      }
    },
  }
}
