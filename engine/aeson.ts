import { isNumeral } from './digits.ts'

/** What Hasura's JSON parser, aeson, says of a value that is of another kind than `type` is read from. */
export function unexpected(
  type: string,
  kind: 'Object' | 'Array' | 'String' | 'Number',
  found: unknown,
): string {
  return `parsing ${type} failed, expected ${kind}, but encountered ${kindOf(found)}`
}

/** What aeson calls the kind of a JSON value. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'Null'
  if (Array.isArray(value)) return 'Array'
  if (isNumeral(value)) return 'Number'
  return `${typeof value}`.replace(/^./, (letter) => letter.toUpperCase())
}
