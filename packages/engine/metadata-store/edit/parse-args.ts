import type { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { aesonKind, wrongKindMessage } from '../../json/aeson-wording.ts'
import { ownValue } from '../../json/own-value.ts'
import { quotedNames } from '../../json/quoted-names.ts'
import { isRecord } from '../../json/record.ts'
import { DUPLICATES } from '../../metadata/distinct-entries.ts'
import { parseIgnoringKeys } from '../../metadata/ignored-keys.ts'

/**
 * Checks a command's arguments against a schema, ignores unknown keys, and fills in defaults.
 *
 * @throws parse-failed in the words of Hasura's JSON parser, with the path of the invalid part
 */
export function parseArgs<T extends z.ZodType>(
  schema: T,
  args: unknown,
  base = '$.args',
): z.output<T> {
  const { result: parsed } = parseIgnoringKeys(schema, args, {
    error: issueMessage,
    reportInput: true,
  })
  if (parsed.success) return parsed.data
  const { message, path } = firstFault(parsed.error.issues)
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  throw new EngineError('parse-failed', message, { path: `${base}${steps.join('')}` })
}

/** Returns the message for an issue, unless the schema defines one. */
function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue
  const key = issue.path?.at(-1)
  if (issue.code !== 'custom' && input === undefined && typeof key === 'string')
    return missingKeyMessage(key)
  switch (issue.code) {
    case 'invalid_type':
      return ownValue(KINDS, issue.expected)?.(input)
    case 'invalid_value':
      return unexpectedValueMessage(issue.values, input)
    case 'invalid_format':
      return `expected a ${issue.format}, but encountered ${JSON.stringify(input)}`
    case 'too_small':
      return issue.origin === 'array'
        ? 'parsing NonEmpty failed, unexpected empty list'
        : `expected at least ${issue.minimum}, but encountered ${JSON.stringify(input)}`
    case 'unrecognized_keys':
      return `unexpected key ${quotedNames(issue.keys)}`
    case 'invalid_union':
      return unionMessage(issue)
    default:
      return undefined
  }
}

function missingKeyMessage(key: string): string {
  return `key "${key}" not found`
}

/** Messages by the kind of value that the schema expects. */
const KINDS: Readonly<Record<string, (input: unknown) => string>> = {
  string: (input) => wrongKindMessage('Text', 'String', input),
  boolean: (input) => `expected Bool, but encountered ${aesonKind(input)}`,
  number: (input) => wrongKindMessage('Int', 'Number', input),
  int: (input) =>
    `parsing Int failed, value is either floating or will cause over or underflow ${JSON.stringify(input)}`,
  array: (input) => wrongKindMessage('[]', 'Array', input),
  tuple: (input) => wrongKindMessage('[]', 'Array', input),
  record: (input) => wrongKindMessage('HashMap', 'Object', input),
  object: notAnObjectMessage,
}

function notAnObjectMessage(input: unknown): string {
  return `expected Object, but encountered ${aesonKind(input)}`
}

function unexpectedValueMessage(values: readonly unknown[], input: unknown): string {
  const tags = values.filter((value) => value !== '')
  if (typeof input === 'string' && tags.length > 1)
    return `expected one of the tags ${JSON.stringify(tags)}, but found tag "${input}"`
  const expected = values.map((value) => JSON.stringify(value)).join(' or ')
  return `expected ${expected}, but encountered ${JSON.stringify(input)}`
}

/** The placeholder for the message of a union. `firstFault` replaces it by the message of the alternative that fits furthest. */
const OF_AN_ALTERNATIVE = ''

function unionMessage({ discriminator, options, input }: z.core.$ZodRawIssue): string {
  if (typeof discriminator !== 'string') return OF_AN_ALTERNATIVE
  const value = isRecord(input) ? input[discriminator] : undefined
  return value === undefined
    ? missingKeyMessage(discriminator)
    : unexpectedValueMessage(Array.isArray(options) ? options : [], value)
}

type Fault = { message: string; path: readonly PropertyKey[]; depth: number }

/**
 * Converts the first issue to a message with its path. For a missing key, the path is the object's; for a list with repeated
 * entries, it is the path of the object that has the list.
 */
function firstFault([issue]: readonly z.core.$ZodIssue[]): Fault {
  if (!issue) return { message: 'malformed', path: [], depth: 0 }
  const { message, path } = issue
  const depth = path.length
  if (message === missingKeyMessage(String(path.at(-1))) || message.startsWith(DUPLICATES))
    return { message, path: path.slice(0, -1), depth }
  if (issue.code !== 'invalid_union' || message !== OF_AN_ALTERNATIVE)
    return { message, path, depth }
  const faults = issue.errors.map(firstFault)
  const furthest = Math.max(...faults.map((fault) => fault.depth))
  const fault = faults.find((one) => one.depth === furthest) ?? firstFault([])
  return { ...fault, path: [...path, ...fault.path], depth: depth + fault.depth }
}
