import fc from 'fast-check'
import { z } from 'zod'

/** The parts of a JSON Schema that are used to make values that fit, or nearly. */
export type Schema = {
  type?: string | string[] | undefined
  enum?: unknown[] | undefined
  const?: unknown
  pattern?: string | undefined
  properties?: Record<string, Schema> | undefined
  items?: Schema | undefined
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
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    $ref: z.string().optional(),
  }),
)

/** Texts that have broken programs before. */
const NASTY = [
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
  // One below and one at the modulus of the proof system's field.
  '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000',
  '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001',
  // Slow for a backtracking pattern: long, and nearly a match.
  'a'.repeat(50_000),
  `${'0x'}${'a'.repeat(50_000)}g`,
  `${'a@'.repeat(20_000)}`,
  `${'a.'.repeat(20_000)}@b`,
  `${' '.repeat(50_000)}x`,
  `${'1,'.repeat(20_000)}`,
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
)

const number = fc.oneof(
  fc.constantFrom(0, -1, 1, 2 ** 31, 2 ** 53, 1e308, -1e308, 0.1, Number.MIN_VALUE),
  fc.integer(),
)

/** Arbitrary JSON values, made to cause trouble. */
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

/** So deep that a recursive walk overflows the stack. */
function nestedArray(depth: number): unknown {
  return new Nested(depth)
}

/** Stands for nesting that JSON.stringify itself could not write. */
class Nested {
  readonly depth: number
  constructor(depth: number) {
    this.depth = depth
  }
  toJSON() {
    return `@nested:${this.depth}`
  }
}

/** As JSON text, with such nesting written out. */
export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(
    /"@nested:(\d+)"/g,
    (_, depth: string) => `${'['.repeat(Number(depth))}${']'.repeat(Number(depth))}`,
  )
}

export type Known = Readonly<Record<string, readonly string[]>>

/**
 * A value that fits a schema, mostly.
 *
 * @param known values that exist, by the name of the field: only these come past the first checks
 * @param resolve follows a `$ref`
 */
export function fittingValue(
  schema: Schema,
  { known, resolve, name = '' }: { known: Known; resolve: (ref: string) => Schema; name?: string },
): fc.Arbitrary<unknown> {
  const fitting = exactlyFittingValue(schema, { known, resolve, name })
  return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: anything })
}

function exactlyFittingValue(
  schema: Schema,
  context: { known: Known; resolve: (ref: string) => Schema; name: string },
): fc.Arbitrary<unknown> {
  const { known, resolve, name } = context
  const real = known[name]
  if (real)
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...real) },
      { weight: 1, arbitrary: text },
    )
  if (schema.$ref) return fittingValue(resolve(schema.$ref), context)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema && schema.const !== undefined) return fc.constant(schema.const)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((option) => fittingValue(option, context)))
  if (schema.properties) return fittingObject(schema.properties, context)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array') return fc.array(fittingValue(schema.items ?? {}, context), { maxLength: 4 })
  if (type === 'integer' || type === 'number') return number
  if (type === 'boolean') return fc.boolean()
  if (type === 'string' && schema.pattern) return matchingText(schema.pattern)
  return text
}

function matchingText(pattern: string): fc.Arbitrary<unknown> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    // fast-check knows most of the syntax of patterns, not all.
    return text
  }
}

function fittingObject(
  properties: Record<string, Schema>,
  context: { known: Known; resolve: (ref: string) => Schema },
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    fc.option(fittingValue(schema, { ...context, name }), { freq: 8, nil: undefined }),
  ])
  const extra = fc.option(fc.tuple(fc.constantFrom('__proto__', 'constructor', 'x'), anything), {
    freq: 2,
  })
  return fc
    .tuple(fc.record(Object.fromEntries(fields)), extra)
    .map(([record, more]) =>
      more ? Object.fromEntries([...Object.entries(record), more]) : record,
    )
}

export { anything, text as anyText }
