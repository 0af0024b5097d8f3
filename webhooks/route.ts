import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError, isErrorCode } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'

/** What a handler may know of its request beside the parsed input. */
export type Context = {
  /** In every log line and every answer, and passed on to Hasura. */
  requestId: string
  log: Log
}

/** Reads a body of the developer API, which is no longer than this. */
const readBody = express.raw({ type: () => true, limit: 100_000 })

/**
 * A handler's chain for requests with a JSON body: read, parse, run, reply.
 * Path parameters win over the body, so a body cannot rename the resource.
 *
 * @param options.limit looks at the parsed input, in `response.locals.input`, before the handler runs
 */
export function json<In extends z.ZodType>(
  input: In,
  handle: (input: z.infer<In>, context: Context) => Promise<object>,
  { status = 200, limit = [] }: { status?: number; limit?: RequestHandler[] } = {},
): RequestHandler[] {
  const read: RequestHandler = (request, response, next) => {
    response.locals.input = parse(input, { ...readJson(request), ...request.params })
    next()
  }
  const answer: RequestHandler = async (_request, response) => {
    const { input: parsed, context } = response.locals
    response.status(status).json(await handle(parsed, context))
  }
  return [readBody, read, ...limit, answer]
}

/**
 * Like `json`, for requests of any method: fields may come in the query string too, and there may
 * be no body. What the body says wins over the query string.
 */
export function fields<In extends z.ZodType>(
  input: In,
  handle: (input: z.infer<In>, context: Context) => Promise<object>,
): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const body = bytesOf(request) ? readJson(request) : {}
    const given = parse(input, { ...request.query, ...body, ...request.params })
    response.json(await handle(given, response.locals.context))
  }
  return [readBody, answer]
}

/** Leaves a request to a later route, unless a parameter of its path looks like this. */
export function onlyWhen(name: string, pattern: RegExp): RequestHandler {
  return (request, _response, next) => {
    if (pattern.test(String(request.params[name]))) next()
    else next('route')
  }
}

/** Refuses a path whose parameter is empty, before anything else is looked at. */
export function requirePath(name: string): RequestHandler {
  return (request, _response, next) => {
    if (!request.params[name]) throw new ApiError('required', { attribute: name })
    next()
  }
}

/**
 * Parses a value at the edge; past this line its type is a fact.
 *
 * @throws validation_error naming the first offending field, or the code that its refinement names:
 *   `refine(isFilled, { params: { code: 'required' } })`
 */
function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const code = issue?.code === 'custom' ? issue.params?.code : null
  throw new ApiError(isErrorCode(code) ? code : 'validation_error', {
    attribute: issue?.path.join('.'),
    ...(issue && { detail: issue.message }),
    cause: parsed.error,
  })
}

const Body = z.record(z.string(), z.unknown())

function readJson(request: Request): Record<string, unknown> {
  const bytes = bytesOf(request)
  if (!bytes) throw new ApiError('invalid_request')
  if (!isJson(request)) throw new ApiError('invalid_content_type', { attribute: 'content-type' })
  const body = Body.safeParse(decode(bytes))
  if (!body.success)
    throw new ApiError('validation_error', { detail: 'The body must be a JSON object.' })
  return body.data
}

function bytesOf(request: Request): Buffer | null {
  const body: unknown = request.body
  return Buffer.isBuffer(body) && body.length > 0 ? body : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new ApiError('invalid_request', { cause })
  }
}

function isJson(request: Request): boolean {
  const type = request.headers['content-type'] ?? ''
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i.test(type)
}
