import express, { type Request } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { json, type Source } from '../../lib/runtime/web/source.ts'
import { UNKNOWN_ENCODING } from '../errors/content-type.ts'

/** Reads a JSON object with any content type, because many clients send none when they register. */
export const anyJson: Source = {
  ...json,
  parse: (maxBytes) => [express.text({ type: () => true, limit: maxBytes })],
  fields: readObject,
  refusals: [UNKNOWN_ENCODING, 'invalid_request', 'payload_too_large'],
}

function readObject({ body: text }: Request<unknown, unknown, unknown>): object {
  try {
    const body: unknown = JSON.parse(String(text))
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch {}
  throw new ApiError('invalid_request', { detail: 'The body must be a JSON object.' })
}
