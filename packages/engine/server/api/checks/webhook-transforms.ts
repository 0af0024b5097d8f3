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

/** Checks the transformations in a command's arguments. Actions have them inside `definition`. @throws validation-failed */
export function requireReadableTransforms(_document: MetadataDocument, args: unknown) {
  const transforms = parseArgs(Transforms.extend({ definition: Transforms.optional() }), args)
  readTransforms(transforms.definition ?? transforms)
}

/** Reads both transformations of a webhook. @throws validation-failed */
export function readTransforms(transforms: z.infer<typeof Transforms>): RequestTransform {
  parseTransform('response', () => responseTransform(transforms.response_transform ?? {}))
  return parseTransform('request', () => requestTransform(transforms.request_transform ?? {}))
}

function parseTransform<T>(transformName: 'request' | 'response', read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof TemplateError
      ? invalidTransformError(transformName, [cause.report])
      : malformedTransformError(transformName, cause)
  }
}

function malformedTransformError(transformName: string, cause: unknown): EngineError {
  const message = `${transformName}_transform cannot be read`
  return new EngineError('parse-failed', message, { path: '$.args', cause })
}

/** Creates the error for a transformation that cannot be parsed or evaluated. `internal` has the errors of its templates. */
export function invalidTransformError(transformName: string, internal: unknown): EngineError {
  return new EngineError('validation-failed', `${transformName} transform validation failed`, {
    path: '$.args',
    internal,
  })
}
