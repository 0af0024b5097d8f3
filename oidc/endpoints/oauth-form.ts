import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { form, type Source } from '../../lib/runtime/web/source.ts'
import { FORM_IS_REQUIRED, unreadableBody } from '../errors/content-type.ts'

/** oidc-provider's limit for the body of a form. */
export const MAX_FORM_BYTES = 56 * 1_024

/**
 * Requires a form as the body; its content type may name a charset.
 *
 * @throws invalid_content_type
 */
const requireForm: RequestHandler = (request, _response, next) => {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== form.mediaType) throw unreadableBody(FORM_IS_REQUIRED)
  next()
}

/** Reads an OAuth form: an empty parameter counts as absent (RFC 6749 3.1). */
export const oauthForm: Source = {
  ...form,
  parse: (maxBytes) => [
    requireForm,
    express.urlencoded({ extended: false, limit: maxBytes, type: () => true }),
  ],
  fields({ body }: { body?: unknown }) {
    const fields = typeof body === 'object' && body !== null ? body : {}
    const entries: [string, unknown][] = Object.entries(fields)
    return Object.fromEntries(entries.filter(([, value]) => value !== ''))
  },
  refusals: ['invalid_request', 'payload_too_large', FORM_IS_REQUIRED],
}

/** A parameter of an OAuth form, which may be sent only once (RFC 6749 3.1). */
export const parameter = z
  .string('This parameter must be text, and must be sent only once.')
  .optional()

/** @throws required */
export function requireField(value: string | undefined, attribute: string): string {
  if (value === undefined) throw new ApiError('required', { attribute })
  return value
}

/** Replaces the parsed body with the fields that oidc-provider gets. */
export function replaceForm(
  request: Request<object, unknown, unknown>,
  fields: Record<string, string | undefined>,
) {
  request.headers['content-type'] = 'application/x-www-form-urlencoded'
  request.body = fields
}
