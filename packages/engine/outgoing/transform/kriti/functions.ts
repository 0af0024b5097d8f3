import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { wrongKindMessage } from '../../../json/aeson-wording.ts'
import { compareNumerals } from '../../../json/decimal.ts'
import { isList, isRecord } from '../../../json/record.ts'
import { foldCase, lowerCase, titleCase, upperCase } from './letter-case.ts'
import { sortedEntries } from './values.ts'

/** The reason why a function cannot be applied to its argument. */
export class FunctionFailure extends Error {
  override readonly name = 'FunctionFailure'
}

type SessionVariables = Readonly<Record<string, unknown>> | null
type KritiFunction = (argument: unknown, session: SessionVariables) => unknown

/**
 * The functions of Kriti, and Hasura's `getSessionVariable`. They throw FunctionFailure.
 *
 * @see https://github.com/hasura/kriti-lang src/Kriti/CustomFunctions.hs
 * @see https://hasura.io/docs/2.0/api-reference/kriti-templating/
 */
export const FUNCTIONS: ReadonlyMap<string, KritiFunction> = new Map<string, KritiFunction>([
  ['empty', isEmptyValue],
  ['size', sizeOf],
  ['inverse', inverseOf],
  ['head', (argument) => nonEmptyItems(argument)[0]],
  ['tail', tailOf],
  ['toCaseFold', (argument) => foldCase(requireText(argument))],
  ['toLower', (argument) => lowerCase(requireText(argument))],
  ['toUpper', (argument) => upperCase(requireText(argument))],
  ['toTitle', (argument) => titleCase(requireText(argument))],
  ['escapeUri', (argument) => escapeUri(requireText(argument))],
  ['toPairs', (argument) => sortedEntries(requireObject(argument, 'Object'))],
  ['fromPairs', fromPairs],
  ['removeNulls', (argument) => requireList(argument, 'Array').filter((item) => item !== null)],
  ['concat', concatenate],
  ['not', negate],
  ['getSessionVariable', getSessionVariable],
])

/** Escapes a text for a URL: all characters except letters, digits and `-_.~`. */
export function escapeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function isEmptyValue(argument: unknown): boolean {
  if (typeof argument === 'boolean')
    throw new FunctionFailure('Cannot define emptiness for a boolean')
  if (isNumeral(argument)) return compareNumerals(argument, 0) === 0
  return sizeOf(typeof argument === 'string' ? argument.trim() : argument) === 0
}

function sizeOf(argument: unknown): unknown {
  if (isNumeral(argument)) return argument
  if (typeof argument === 'string') return [...argument].length
  if (isList(argument)) return argument.length
  return isRecord(argument) ? Object.keys(argument).length : Number(argument)
}

function inverseOf(argument: unknown): unknown {
  if (typeof argument === 'boolean') return !argument
  if (typeof argument === 'string') return [...argument].reverse().join('')
  if (isList(argument)) return argument.toReversed()
  if (!isNumeral(argument)) return argument
  if (compareNumerals(argument, 0) === 0) throw new FunctionFailure('Cannot divide by zero')
  return 1 / Number(argument)
}

function tailOf(argument: unknown): unknown {
  const rest = nonEmptyItems(argument).slice(1)
  return typeof argument === 'string' ? rest.join('') : rest
}

/** Returns the items of a list, or the characters of a text. */
function nonEmptyItems(argument: unknown): readonly unknown[] {
  const isText = typeof argument === 'string'
  if (!isText && !isList(argument)) throw new FunctionFailure('Expected an array or string')
  if (argument.length === 0) throw new FunctionFailure(isText ? 'Empty string' : 'Empty array')
  return [...argument]
}

function fromPairs(argument: unknown): unknown {
  return Object.fromEntries(
    requireList(argument, 'Nested Arrays').map((pair): [string, unknown] => {
      const [key, value, ...extraItems] = requireList(pair, 'Array of Pair')
      if (value === undefined || extraItems.length > 0)
        throw new FunctionFailure(
          'Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.',
        )
      return [requireText(key, 'Key'), value]
    }),
  )
}

function concatenate(argument: unknown): unknown {
  const items = requireList(argument, 'Array')
  if (items.every(isList)) return items.flat()
  if (items.every((item) => typeof item === 'string')) return items.join('')
  const objects = items.map((item) => requireObject(item, 'Nested Object'))
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)))
}

function negate(argument: unknown): boolean {
  if (typeof argument !== 'boolean') throw wrongKind('Bool', 'Boolean', argument)
  return !argument
}

function getSessionVariable(argument: unknown, session: SessionVariables): unknown {
  if (argument === null) return null
  if (typeof argument !== 'string')
    throw new FunctionFailure('Session variable name should be a string')
  const name = argument.toLowerCase()
  if (session && Object.hasOwn(session, name)) return session[name]
  throw new FunctionFailure(`Session variable "${argument}" not found`)
}

function requireText(value: unknown, expectedType = 'String'): string {
  if (typeof value === 'string') return value
  throw wrongKind(expectedType, 'String', value)
}

function requireList(value: unknown, expectedType: string): readonly unknown[] {
  if (isList(value)) return value
  throw wrongKind(expectedType, 'Array', value)
}

function requireObject(value: unknown, expectedType: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw wrongKind(expectedType, 'Object', value)
}

function wrongKind(...parts: Parameters<typeof wrongKindMessage>): FunctionFailure {
  return new FunctionFailure(wrongKindMessage(...parts))
}
