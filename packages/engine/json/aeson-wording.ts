import { isNumeral } from '../../../lib/runtime/exact-json.ts'

/**
 * Returns the message about a JSON value of the wrong kind. The text is from aeson, Hasura's JSON parser, so that
 * clients get the same text as from Hasura.
 */
export function wrongKindMessage(
  type: string,
  kind: 'Object' | 'Array' | 'String' | 'Number' | 'Boolean',
  value: unknown,
): string {
  return `parsing ${type} failed, expected ${kind}, but encountered ${aesonKind(value)}`
}

/** Returns aeson's name for the kind of a JSON value. */
export function aesonKind(value: unknown): string {
  if (value === null || value === undefined) return 'Null'
  if (Array.isArray(value)) return 'Array'
  if (isNumeral(value)) return 'Number'
  return `${typeof value}`.replace(/^./, (letter) => letter.toUpperCase())
}
