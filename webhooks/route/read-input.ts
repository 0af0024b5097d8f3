import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError, isErrorCode } from '../../lib/runtime/errors.ts'
import type { RequestValue } from '../../lib/runtime/http/request-value.ts'
import { firstIssue, parseInWords } from '../../lib/runtime/parse-in-words.ts'

/**
 * Where a route's fields come from: a JSON body; a JSON body in which Hasura relays a client's request;
 * the query string; the query string and a JSON body; an HTML form; nowhere.
 */
export type Source = 'json' | 'relayed' | 'query' | 'fields' | 'form' | 'nothing'

/** The schema of routes without any input: their body is not even read. */
export const noInput = z.undefined()

const MAX_BODY_BYTES = 100_000

/** Inserts of many rows are long. */
export const MAX_GRAPHQL_BYTES = 1_000_000

/** What Hasura posts about an action holds both the client's query and its values. */
const MAX_RELAYED_BYTES = 2 * MAX_GRAPHQL_BYTES + MAX_BODY_BYTES

/** Forms have a token and a password, of which a character may take twelve bytes. */
const MAX_FORM_BYTES = 4_000

const bodyParsers: Record<Source, RequestHandler[]> = {
  json: [express.raw({ type: () => true, limit: MAX_BODY_BYTES })],
  relayed: [express.raw({ type: () => true, limit: MAX_RELAYED_BYTES })],
  // A cache finds an answer by its URL alone, so the answer must not depend on a body.
  query: [],
  fields: [express.raw({ type: () => true, limit: MAX_BODY_BYTES })],
  form: [express.urlencoded({ extended: false, limit: MAX_FORM_BYTES })],
  nothing: [],
}

/**
 * Reads and parses a request's fields, and sets them as its input.
 *
 * Path parameters win over the body, so that a body cannot rename the resource, and the body over
 * the query string.
 *
 * @throws invalid_request, invalid_content_type, payload_too_large, and what `parseInput` throws
 */
export function readInput<Schema extends z.ZodType>(
  source: Source,
  schema: Schema,
  input: RequestValue<z.infer<Schema>>,
): RequestHandler[] {
  const read: RequestHandler = (request, response, next) => {
    input.set(response, parseInput(schema, givenFields(request, source)))
    next()
  }
  return [...bodyParsers[source], read]
}

function givenFields(request: Request, source: Source): unknown {
  return source === 'nothing' ? undefined : { ...collectFields(request, source), ...request.params }
}

function collectFields(request: Request, source: Exclude<Source, 'nothing'>): object {
  if (source === 'form') return formFields(request)
  if (source === 'query') return request.query
  if (source !== 'fields') return readJsonObject(request)
  return { ...request.query, ...(bodyBytes(request) ? readJsonObject(request) : {}) }
}

/** Empty when the body is not an HTML form: the fields are then refused because they are missing. */
function formFields(request: Request): object {
  const { body }: { body?: unknown } = request
  return typeof body === 'object' && body !== null ? body : {}
}

/**
 * Parses a value at the edge; from here on its type is a fact.
 *
 * @throws validation_error naming the first offending field, or the code that its refinement names:
 *   `refine(isFilled, { params: { code: 'required' } })`
 */
function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = parseInWords(schema, value)
  if (parsed.success) return parsed.data
  const issue = firstIssue(parsed.error)
  const code = refinementCode(issue)
  throw new ApiError(isErrorCode(code) ? code : 'validation_error', {
    attribute: issue.path.join('.'),
    detail: issue.message,
    cause: parsed.error,
  })
}

function refinementCode(issue: z.core.$ZodIssue): unknown {
  if (issue.code !== 'custom') return null
  const { code }: { code?: unknown } = issue.params ?? {}
  return code
}

const JsonObject = z.record(z.string(), z.unknown())

function readJsonObject(request: Request): Record<string, unknown> {
  const bytes = bodyBytes(request)
  if (!bytes) throw new ApiError('invalid_request')
  requireJson(request)
  const body = JsonObject.safeParse(decodeJson(bytes))
  if (!body.success)
    throw new ApiError('validation_error', { detail: 'The body must be a JSON object.' })
  return body.data
}

/** The body as it was sent; null when it is empty. */
export function bodyBytes(request: Request): Buffer | null {
  const { body }: { body?: unknown } = request
  return Buffer.isBuffer(body) && body.length > 0 ? body : null
}

const utf8Decoder = new TextDecoder('utf-8', { fatal: true })

function decodeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8Decoder.decode(bytes))
  } catch (cause) {
    throw new ApiError('invalid_request', { cause })
  }
}

/** @throws invalid_content_type unless the request says that its body is JSON, in UTF-8 */
export function requireJson(request: Request): void {
  if (!isUtf8Json(request))
    throw new ApiError('invalid_content_type', { attribute: 'content-type' })
}

/** The media type of JSON has no parameters: any are ignored, but for another charset. */
function isUtf8Json(request: Request): boolean {
  const type = request.headers['content-type'] ?? ''
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]*)/i.exec(type) ?? []
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) && /^utf-?8$/i.test(charset)
}
