import express, { type Request, type RequestHandler } from 'express'
import type { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { present } from '../../lib/runtime/present.ts'
import { FORM, formIsRequired } from '../errors/content-type.ts'

/** The library's own limit. */
const MAX_FORM_BYTES = 56 * 1_024

const parseForm = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES, type: () => true })

/**
 * Requires a form as the body, with or without a charset in its content type.
 *
 * @throws invalid_content_type
 */
export const requireForm: RequestHandler = (request, _response, next) => {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== FORM) throw formIsRequired()
  next()
}

/**
 * Reads a body that must be a form.
 *
 * @throws invalid_content_type
 */
export const readForm: RequestHandler[] = [requireForm, parseForm]

/**
 * The fields of a form that was read. Each parameter may be sent once, and an empty one counts as absent
 * (RFC 6749 3.1).
 *
 * @throws invalid_request naming a parameter that came twice, or is malformed
 */
export function parseFields<Fields extends z.ZodType>(
  schema: Fields,
  { body }: { body: unknown },
): z.infer<Fields> {
  const fields = typeof body === 'object' && body !== null ? body : {}
  const entries: [string, unknown][] = Object.entries(fields)
  const given = entries.filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  throw new ApiError('invalid_request', {
    attribute: present(parsed.error.issues[0], 'the reason of a refused form').path.join('.'),
    detail: 'This parameter is malformed, or was sent more than once.',
  })
}

/** @throws required */
export function requireField(value: string | undefined, attribute: string): string {
  if (value === undefined) throw new ApiError('required', { attribute })
  return value
}

/** Replaces the body that was read by the fields that the library is to see. */
export function replaceForm(
  request: Request<object, unknown, unknown>,
  fields: Record<string, string | undefined>,
) {
  request.headers['content-type'] = FORM
  request.body = fields
}
