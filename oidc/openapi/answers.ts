import { ApiError, type ErrorCode } from '../../lib/runtime/errors.ts'
import { signInErrorBody } from '../errors/error-body.ts'

/** A body of JSON, with one example. */
export function jsonAnswer(
  description: string,
  schema: object,
  example: object,
  type = 'application/json',
) {
  const media = { schema, examples: { [description]: { value: example } } }
  return { description, headers: REQUEST_ID, content: { [type]: media } }
}

/** A body of an HTML form, with one example. */
export function formBody(schema: object, title: string, example: object) {
  const media = { schema, examples: { [title]: { value: example } } }
  return { required: true, content: { 'application/x-www-form-urlencoded': media } }
}

/** The answers with these errors, by their status, each with an example; a code stands for its usual error. */
export function refusals(...refused: (ErrorCode | ApiError)[]) {
  const all = [...refused, 'internal_error' as const, 'unavailable' as const].map((each) =>
    typeof each === 'string' ? new ApiError(each) : each,
  )
  const byStatus = Map.groupBy(all, ({ status }) => status)
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, refusal(same)]))
}

function refusal(errors: readonly ApiError[]) {
  const lines = errors.map(({ code, message }) => `- \`${code}\`: ${message}`)
  const examples: Record<string, { value: object }> = {}
  for (const error of errors)
    examples[error.code] = { value: signInErrorBody(error, error.message) }
  return {
    description: lines.join('\n'),
    headers: REQUEST_ID,
    content: {
      'application/json': { schema: errorSchema(errors.map(({ code }) => code)), examples },
    },
  }
}

function errorSchema(codes: readonly ErrorCode[]) {
  return {
    type: 'object',
    properties: {
      code: { type: 'string', enum: codes },
      detail: { type: 'string' },
      attribute: { type: ['string', 'null'] },
      error: { type: 'string', description: 'The error of OAuth 2.0 (RFC 6749 5.2)' },
      error_description: { type: 'string' },
    },
    required: ['code', 'detail', 'attribute', 'error', 'error_description'],
    additionalProperties: false,
  }
}

const REQUEST_ID = {
  'x-request-id': { description: "The request's id in the logs", schema: { type: 'string' } },
}
