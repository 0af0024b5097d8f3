import { z } from 'zod'
import { Schema } from './values.ts'

const Content = z.record(z.string(), z.object({ schema: Schema.optional() }))

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  schema: Schema.optional(),
})

/** What may be answered with one status. Schemas are as they are written, for a validator. */
const Answers = z.object({
  content: z
    .record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
})

/** One method of a path: what can be sent, and what may be answered by status; none where it is not described. */
export const OpenApiOperation = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Answers).optional(),
})

/** The parts of an OpenAPI document that say what can be sent, and what may be answered. */
export const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.partialRecord(z.enum(['get', 'post', 'options']), OpenApiOperation),
  ),
  components: z
    .looseObject({ schemas: z.record(z.string(), Schema).default({}) })
    .default({ schemas: {} }),
})
