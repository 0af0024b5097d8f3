import { z } from 'zod'

export type Json = { [key: string]: unknown }

/** Converts a zod schema for OpenAPI 3.1, before (`input`) or after (`output`) its transformations. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: part }) {
      // zod adds a pattern of three hundred characters, which says the same as the format.
      if (part.format) delete part.pattern
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum
    },
  })
  return jsonSchema
}

/** Combines schemas into a schema that accepts a value of any of them. */
export function anyOf(schemas: readonly object[]): object {
  const [first = {}] = schemas
  return schemas.length <= 1 ? first : { anyOf: schemas }
}
