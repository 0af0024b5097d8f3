import { z } from 'zod'

export type Json = { [key: string]: unknown }

/** A zod schema as OpenAPI 3.1 has it; `input` is before its transformations, `output` after. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // The format says the same; the pattern takes three hundred characters.
      if (jsonSchema.format) delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return rest
}

/** One schema for a value of any of these. */
export function anyOf(schemas: readonly object[]): object {
  const [first = {}, ...others] = schemas
  return others.length === 0 ? first : { anyOf: schemas }
}
