import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { TemplateError } from '../../../outgoing/transform/kriti/template-error.ts'
import {
  type RequestTransform,
  requestTransform,
} from '../../../outgoing/transform/request-transform.ts'
import { responseTransform } from '../../../outgoing/transform/response-transform.ts'

const Transforms = z.looseObject({
  request_transform: z.unknown().optional(),
  response_transform: z.unknown().optional(),
})

/** Checks the transformations in a command's arguments; those of actions are in `definition`. @throws validation-failed */
export function requireReadableTransforms(_document: MetadataDocument, args: unknown) {
  const given = parseArgs(Transforms.extend({ definition: Transforms.optional() }), args)
  readTransforms(given.definition ?? given)
}

/** Reads both transformations of a webhook. @throws validation-failed */
export function readTransforms(given: z.infer<typeof Transforms>): RequestTransform {
  parseTransform('response', () => responseTransform(given.response_transform ?? {}))
  return parseTransform('request', () => requestTransform(given.request_transform ?? {}))
}

function parseTransform<T>(what: 'request' | 'response', read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof TemplateError
      ? invalidTransformError(what, [cause.report])
      : malformedTransformError(what, cause)
  }
}

function malformedTransformError(what: string, cause: unknown): EngineError {
  const message = `${what}_transform cannot be read`
  return new EngineError('parse-failed', message, { path: '$.args', cause })
}

/** The error for a transformation that cannot be parsed or evaluated, with reports of the templates' errors. */
export function invalidTransformError(what: string, internal: unknown): EngineError {
  return new EngineError('validation-failed', `${what} transform validation failed`, {
    path: '$.args',
    internal,
  })
}
