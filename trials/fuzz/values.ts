import fc from 'fast-check'
import { z } from 'zod'

/** The parts of a JSON Schema that `createValue` uses. */
export type Schema = {
  type?: string | string[] | undefined
  enum?: unknown[] | undefined
  const?: unknown
  pattern?: string | undefined
  properties?: Record<string, Schema> | undefined
  items?: Schema | undefined
  minItems?: number | undefined
  anyOf?: Schema[] | undefined
  oneOf?: Schema[] | undefined
  $ref?: string | undefined
}

export const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    pattern: z.string().optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: Schema.optional(),
    minItems: z.number().optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    $ref: z.string().optional(),
  }),
)

/** Texts that often break programs. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '😀'.repeat(50),
  "' or 1=1 --",
  '"; drop table nullifier; --',
  '#{7*7}{{7*7}}',
  '%00',
  '%s%n',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'http://localhost:1/',
  'javascript:alert(1)',
  'a\r\nset-cookie: x=y',
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(64)}`,
  // The largest element of the proof system's field, and its modulus.
  '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000',
  '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001',
  // Long texts that nearly match, which are slow for a backtracking pattern.
  'a'.repeat(50_000),
  `${'0x'}${'a'.repeat(50_000)}g`,
  `${'a@'.repeat(20_000)}`,
  `${'a.'.repeat(20_000)}@b`,
  `${' '.repeat(50_000)}x`,
  `${'1,'.repeat(20_000)}`,
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
)

const number = fc.oneof(
  fc.constantFrom(0, -1, 1, 2 ** 31, 2 ** 53, 1e308, -1e308, 0.1, Number.MIN_VALUE),
  fc.integer(),
)

/** Hostile JSON values. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'prototype', 'a'), text, {
    maxKeys: 3,
  }),
  fc.array(text, { maxLength: 4 }),
  fc.integer({ min: 100, max: 20_000 }).map(nestedArray),
)

/** Creates a placeholder for an array so deep that a recursive walk may overflow the stack. */
function nestedArray(depth: number): unknown {
  return new Nested(depth)
}

/** A nested array that `toJson` writes out, since it may be too deep for JSON.stringify. */
class Nested {
  readonly depth: number
  constructor(depth: number) {
    this.depth = depth
  }
  toJSON() {
    return `@nested:${this.depth}`
  }
}

/** Converts a value to JSON, and writes the placeholders out as nested arrays. */
export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(
    /"@nested:(\d+)"/g,
    (_, depth: string) => `${'['.repeat(Number(depth))}${']'.repeat(Number(depth))}`,
  )
}

export type ExistingValues = Readonly<Record<string, readonly string[]>>

/**
 * Creates values that mostly fit a schema.
 *
 * @param existingValues values of the database, by field name; other values fail the first checks
 * @param resolve follows a `$ref`
 */
export function createValue(
  schema: Schema,
  {
    existingValues,
    resolve,
    name = '',
  }: { existingValues: ExistingValues; resolve: (ref: string) => Schema; name?: string },
): fc.Arbitrary<unknown> {
  const validValue = createValidValue(schema, { existingValues, resolve, name })
  return fc.oneof({ weight: 6, arbitrary: validValue }, { weight: 1, arbitrary: anything })
}

function createValidValue(
  schema: Schema,
  context: { existingValues: ExistingValues; resolve: (ref: string) => Schema; name: string },
): fc.Arbitrary<unknown> {
  const { existingValues, resolve, name } = context
  const values = existingValues[name]
  if (values)
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...values) },
      { weight: 1, arbitrary: text },
    )
  if (schema.$ref) return createValue(resolve(schema.$ref), context)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema && schema.const !== undefined) return fc.constant(schema.const)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((option) => createValue(option, context)))
  if (schema.properties) return createObject(schema.properties, context)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array') return createList(schema, context)
  if (type === 'integer' || type === 'number') return number
  if (type === 'boolean') return fc.boolean()
  if (type === 'string' && schema.pattern) return createMatchingText(schema.pattern)
  return text
}

/** Creates lists that have the required number of entries, such as the words of a proof. */
function createList(
  { items = {}, minItems = 0 }: Schema,
  context: Parameters<typeof createValidValue>[1],
): fc.Arbitrary<unknown> {
  const length = { minLength: minItems, maxLength: Math.max(4, minItems) }
  return fc.array(createValue(items, context), length)
}

function createMatchingText(pattern: string): fc.Arbitrary<unknown> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    // fast-check does not support every pattern.
    return text
  }
}

function createObject(
  properties: Record<string, Schema>,
  context: { existingValues: ExistingValues; resolve: (ref: string) => Schema },
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    fc.option(createValue(schema, { ...context, name }), { freq: 8, nil: undefined }),
  ])
  const extra = fc.option(fc.tuple(fc.constantFrom('__proto__', 'constructor', 'x'), anything), {
    freq: 2,
  })
  return fc
    .tuple(fc.record(Object.fromEntries(fields)), extra)
    .map(([record, extraField]) =>
      extraField ? Object.fromEntries([...Object.entries(record), extraField]) : record,
    )
}

export { anything, text as anyText }
