import { z } from 'zod'
import { Schema } from './values.ts'

const Content = z.record(z.string(), z.object({ schema: Schema.optional() }))

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  schema: Schema.optional(),
})

/** The description of the responses with one status. The schemas stay unparsed, because the validator reads them. */
const DocumentedResponse = z.object({
  content: z
    .record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
})

/** One method of a path: its parameters, body and responses. `responses` is missing if the document does not describe them. */
export const OpenApiOperation = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), DocumentedResponse).optional(),
})

/** The parts of an OpenAPI document that describe requests and responses. */
export const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.partialRecord(z.enum(['get', 'post', 'options']), OpenApiOperation),
  ),
  components: z
    .looseObject({ schemas: z.record(z.string(), Schema).default({}) })
    .default({ schemas: {} }),
})
