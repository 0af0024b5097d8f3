import express, { type RequestHandler } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'

/** Reads a body of the type `application/json` as text, for `parseTextAsJson`. */
export function readJsonText(maxBytes: number): RequestHandler {
  return express.text({ type: 'application/json', limit: maxBytes })
}

/** @throws invalid_request when the text of the body is not JSON */
export function parseTextAsJson({ body }: { body: unknown }): unknown {
  try {
    return JSON.parse(String(body))
  } catch (cause) {
    throw new ApiError('invalid_request', { cause })
  }
}
