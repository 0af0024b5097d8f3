import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import { type RequestTransform, requestTransform } from '../transform/request-transform.ts'
import { responseTransform } from '../transform/response-transform.ts'
import { TemplateError } from '../transform/tokens.ts'
import type { DocumentEdit } from './changes.ts'

const Given = z.looseObject({
  request_transform: z.unknown().optional(),
  response_transform: z.unknown().optional(),
})

/**
 * Makes an edit check the transformations in its arguments; those of actions are in `definition`.
 *
 * @throws validation-failed
 */
export function transforming(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const given = parseArgs(Given.extend({ definition: Given.optional() }), args)
    readTransforms(given.definition ?? given)
    edit(document, args)
  }
}

/** Reads both transformations of a webhook. @throws validation-failed */
export function readTransforms(given: z.infer<typeof Given>): RequestTransform {
  readable('response', () => responseTransform(given.response_transform ?? {}))
  return readable('request', () => requestTransform(given.request_transform ?? {}))
}

function readable<T>(what: 'request' | 'response', read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof TemplateError
      ? invalid(what, 'Parse Error', cause.message)
      : malformed(what, cause)
  }
}

function malformed(what: string, cause: unknown): EngineError {
  const message = `${what}_transform cannot be read`
  return new EngineError('parse-failed', message, { path: '$.args', cause })
}

/**
 * The error for a transformation that cannot be read or filled in;
 * only the reason is not worded as in Hasura.
 */
export function invalid(what: string, error_code: string, message: string): EngineError {
  return new EngineError('validation-failed', `${what} transform validation failed`, {
    path: '$.args',
    internal: [{ error_code, message }],
  })
}
