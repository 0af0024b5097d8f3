import type { z } from 'zod'
import { requireValue } from './require-value.ts'

/**
 * Parses a value. Errors are in plain English, like "Must be a text.", instead of the validator's own words. A message
 * in the schema wins.
 */
export function parseInWords<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: wordIssue })
}

/** Returns the first issue. A response reports only a single issue. */
export function firstIssue(error: z.ZodError): z.core.$ZodIssue {
  return requireValue(error.issues[0], 'an issue of a failed parse')
}

const REQUIRED = 'This attribute is required.'
const MALFORMED = 'This attribute is malformed.'

function wordIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union')
    if (issue.input === undefined) return REQUIRED
  switch (issue.code) {
    case 'invalid_type':
      return typeInWords(issue.expected)
    case 'invalid_value':
      return valuesInWords(issue.input, issue.values)
    case 'too_small':
      return boundInWords(issue.origin, 'at least', String(issue.minimum))
    case 'too_big':
      return boundInWords(issue.origin, 'at most', String(issue.maximum))
    case 'not_multiple_of':
      return 'Must be a whole number.'
    case 'unrecognized_keys':
      return `Must not have ${issue.keys.join(', ')}.`
    case 'invalid_format':
      return FORMATS[issue.format] ?? MALFORMED
    default:
      return MALFORMED
  }
}

/** Plain names of the types that zod expects. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function typeInWords(expected: string): string {
  const type = TYPES[expected]
  return type ? `Must be ${type}.` : MALFORMED
}

function valuesInWords(input: unknown, values: readonly unknown[]): string {
  if (input === undefined) return REQUIRED
  const names = values.map(String).join(', ')
  return values.length === 1 ? `Must be ${names}.` : `Must be one of ${names}.`
}

/** The unit of a bound, by the type of the value. A bound of a number has no unit. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' }

function boundInWords(origin: string, limit: string, bound: string): string {
  const unit = UNITS[origin]
  return unit ? `Must have ${limit} ${bound} ${unit}.` : `Must be ${limit} ${bound}.`
}

/** The error for each format of a schema. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'Must be a time in ISO 8601, such as 2026-01-31T12:00:00Z.',
  date: 'Must be a day in ISO 8601, such as 2026-01-31.',
  email: 'Must be an e-mail address.',
  url: 'Must be an address (URL).',
}
