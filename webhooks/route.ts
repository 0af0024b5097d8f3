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

/** Bytes of a body of the developer API, at most. */
const BODY_LIMIT = 100_000

/**
 * A handler's chain for requests with a JSON body: read, parse, run, reply.
 * Path parameters win over the body, so a body cannot rename the resource.
 */
export function json<In extends z.ZodType>(
  input: In,
  handle: (input: z.infer<In>, context: Context) => Promise<object>,
  { status = 200 } = {},
): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const body = parse(input, { ...readJson(request), ...request.params })
    response.status(status).json(await handle(body, response.locals.context))
  }
  return [express.raw({ type: () => true, limit: BODY_LIMIT }), answer]
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
  const bytes: unknown = request.body
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw new ApiError('invalid_request')
  if (!isJson(request)) throw new ApiError('invalid_content_type', { attribute: 'content-type' })
  const body = Body.safeParse(decode(bytes))
  if (!body.success)
    throw new ApiError('validation_error', { detail: 'The body must be a JSON object.' })
  return body.data
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
