import { isNumeral } from '../../lib/exact-json.ts'

/**
 * The message of Hasura's JSON parser, aeson, about a value
 * whose kind is not the one that `type` is read from.
 */
export function wrongKindMessage(
  type: string,
  kind: 'Object' | 'Array' | 'String' | 'Number',
  found: unknown,
): string {
  return `parsing ${type} failed, expected ${kind}, but encountered ${aesonKind(found)}`
}

/** aeson's name for the kind of a JSON value. */
export function aesonKind(value: unknown): string {
  if (value === null || value === undefined) return 'Null'
  if (Array.isArray(value)) return 'Array'
  if (isNumeral(value)) return 'Number'
  return `${typeof value}`.replace(/^./, (letter) => letter.toUpperCase())
}
