import type { RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError, type ErrorCode, isErrorCode } from '../errors.ts'
import type { RequestValue } from '../http/request-value.ts'
import { firstIssue, parseInWords } from '../parse-in-words.ts'
import { keepAppReference } from './app-reference.ts'
import type { Source } from './source.ts'

/** The schema of routes without input; their body is not read. */
export const noInput = z.undefined()

type InputOptions<Schema> = {
  source: Source
  schema: Schema
  /** The longest body, in bytes. */
  maxBytes: number
  /** The error code of an invalid field, unless the schema names a code. */
  invalid: ErrorCode
  /** The field with an id of the request's app. */
  appField: string | undefined
}

/**
 * Reads and parses a request's fields, and sets them as its input.
 *
 * Path parameters win over the body, so that a body cannot change the resource. The body wins over the query string.
 *
 * @throws invalid_request, invalid_content_type, payload_too_large, and the errors of `parseInput`
 */
export function readInput<Schema extends z.ZodType>(
  { source, schema, maxBytes, invalid, appField }: InputOptions<Schema>,
  input: RequestValue<z.infer<Schema>>,
): RequestHandler[] {
  const setInput: RequestHandler = (request, response, next) => {
    const fields = source.fields(request, invalid)
    const value = fields && { ...fields, ...request.params }
    if (appField && value) keepAppReference(value, appField, response)
    input.set(response, parseInput(schema, value, invalid))
    next()
  }
  return [...source.parse(maxBytes), setInput]
}

/**
 * Parses the fields.
 *
 * @throws `invalid` for the first wrong field, or the code that its refinement names, like
 *   `refine(isFilled, { params: { code: 'required' } })`
 */
function parseInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  invalid: ErrorCode,
): z.infer<T> {
  const parsed = parseInWords(schema, value)
  if (parsed.success) return parsed.data
  const issue = firstIssue(parsed.error)
  const code = refinementCode(issue)
  throw new ApiError(isErrorCode(code) ? code : invalid, {
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
