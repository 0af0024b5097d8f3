import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'

/** Returns the message about a value that an enum does not have. */
export function enumValueMessage(
  { name, values }: { name: string; values: readonly { name: string }[] },
  value: string,
): string {
  const list = values.map((enumValue) => `'${enumValue.name}'`).join(', ')
  return `expected one of the values [${list}] for type '${name}', but found '${value}'`
}

/** Returns the name of a JSON value for error messages. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isNumeral(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
