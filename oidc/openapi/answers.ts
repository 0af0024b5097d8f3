import { ApiError, defaultsOfCode, type ErrorCode } from '../../lib/errors.ts'
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

/** The answers with these codes, by their status, each with an example. */
export function refusals(...codes: ErrorCode[]) {
  const all: ErrorCode[] = [...codes, 'internal_error', 'unavailable']
  const byStatus = Map.groupBy(all, statusOf)
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, refusal(same)]))
}

/** An error of OAuth has status 400 unless it is about credentials (RFC 6749 5.2). */
function statusOf(code: ErrorCode): number {
  return code === 'invalid_content_type' ? 400 : defaultsOfCode(code).status
}

function refusal(codes: readonly ErrorCode[]) {
  const lines = codes.map((code) => `- \`${code}\`: ${defaultsOfCode(code).detail}`)
  const examples: Record<string, { value: object }> = {}
  for (const code of codes) examples[code] = { value: exampleOf(code) }
  return {
    description: lines.join('\n'),
    headers: REQUEST_ID,
    content: {
      'application/json': { schema: errorSchema(codes), examples },
    },
  }
}

function exampleOf(code: ErrorCode) {
  return signInErrorBody(new ApiError(code), defaultsOfCode(code).detail)
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
