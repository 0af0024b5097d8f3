import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'

const Media = z.object({
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
})
const Content = z.record(z.string(), Media)
const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
})
const Operation = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.default({}) })),
})
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })

/** An operation of an OpenAPI document; its name is the method and the path. */
export type DescribedOperation = z.infer<typeof Operation> & {
  name: string
  method: string
  path: string
}

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('date-time', (text) => z.iso.datetime({ offset: true }).safeParse(text).success)
ajv.addFormat('jwt', (text) => z.jwt().safeParse(text).success)
ajv.addFormat('uri', (text) => URL.canParse(text))

/** Returns every operation of a document. */
export function operationsOf(document: unknown): DescribedOperation[] {
  return Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
    })),
  )
}

/** Finds the places of an operation without an example, and the examples that do not match their schema. */
export function examplesOf(operation: DescribedOperation) {
  const { parameters, requestBody, responses } = operation
  const bodies = [
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ at: type, media })),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      Object.entries(content).map(([type, media]) => ({ at: `${status} ${type}`, media })),
    ),
    ...parameters
      .filter(({ required, example }) => required || example !== undefined)
      .map(({ name, schema, example }) => ({ at: name, media: { schema, example } })),
  ]
  const places = bodies.map(({ at, media }) => ({ at, media, values: valuesOf(media) }))
  return {
    missing: places.filter(({ values }) => values.length === 0).map(({ at }) => at),
    invalid: places.flatMap(({ at, media, values }) =>
      values.flatMap(([name, value]) => {
        const isValid = ajv.validate(media.schema, value)
        return isValid ? [] : [`${at}, ${name}: ${ajv.errorsText()}`]
      }),
    ),
  }
}

/** Returns the examples of a body or a parameter by name. */
export function valuesOf({ example, examples = {} }: z.infer<typeof Media>): [string, unknown][] {
  const entries = Object.entries(examples).map(([name, { value }]): [string, unknown] => [
    name,
    value,
  ])
  return example === undefined ? entries : [...entries, ['example', example]]
}
