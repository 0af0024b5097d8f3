import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Refusal } from './operation.ts'

/** The source of a route's fields: the query string, a body, both, or none. */
export type Source = {
  /** The media type of the body; null if no body is read. */
  mediaType: string | null
  /** True if a request may have all of its fields in the query string. */
  isBodyOptional?: boolean
  /** Returns the handlers that read the body. */
  parse(maxBytes: number): RequestHandler[]
  /**
   * Returns the fields as they were sent; undefined if the route has no fields.
   *
   * @param invalid the error code for a body that is not an object
   */
  fields(request: Request, invalid: ErrorCode): object | undefined
  /** The errors of reading the body; an invalid field has the route's own code. */
  refusals: readonly Refusal[]
}

const BODY_REFUSALS = ['invalid_request', 'payload_too_large', 'invalid_content_type'] as const

/** No fields; the body is not read. */
export const noFields: Source = {
  mediaType: null,
  parse: () => [],
  fields: () => undefined,
  refusals: [],
}

/** The query string. A cache stores a response by its URL, so a response must not depend on the body. */
export const query: Source = {
  mediaType: null,
  parse: () => [],
  fields: (request) => request.query,
  refusals: [],
}

/** A JSON object. */
export const json: Source = {
  mediaType: 'application/json',
  parse: (maxBytes) => [express.raw({ type: () => true, limit: maxBytes })],
  fields: readJsonObject,
  refusals: BODY_REFUSALS,
}

/** The query string, a JSON object, or both; the body wins. */
export const queryOrJson: Source = {
  ...json,
  isBodyOptional: true,
  fields: (request, invalid) => ({
    ...request.query,
    ...(bodyBytes(request) ? readJsonObject(request, invalid) : {}),
  }),
}

/** An HTML form. */
export const form: Source = {
  mediaType: 'application/x-www-form-urlencoded',
  parse: (maxBytes) => [express.urlencoded({ extended: false, limit: maxBytes })],
  fields: formFields,
  refusals: BODY_REFUSALS,
}

/** Returns no fields if the body is not an HTML form, so that the request is rejected for missing fields. */
function formFields(request: Request): object {
  const { body }: { body?: unknown } = request
  return typeof body === 'object' && body !== null ? body : {}
}

const JsonObject = z.record(z.string(), z.unknown())

function readJsonObject(request: Request, invalid: ErrorCode): Record<string, unknown> {
  const bytes = bodyBytes(request)
  if (!bytes) throw new ApiError('invalid_request')
  requireJson(request)
  const body = JsonObject.safeParse(decodeJson(bytes))
  if (!body.success) throw new ApiError(invalid, { detail: 'The body must be a JSON object.' })
  return body.data
}

/** Returns the raw body, or null if it is empty. */
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

/** @throws invalid_content_type unless the Content-Type is JSON in UTF-8 */
export function requireJson(request: Request): void {
  if (!isUtf8Json(request))
    throw new ApiError('invalid_content_type', { attribute: 'content-type' })
}

/** True for JSON in UTF-8. Ignores all parameters except the charset. */
function isUtf8Json(request: Request): boolean {
  const type = request.headers['content-type'] ?? ''
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]*)/i.exec(type) ?? []
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) && /^utf-?8$/i.test(charset)
}
