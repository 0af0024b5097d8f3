import { Digits } from '../../../../lib/runtime/exact-json.ts'
import { isRecord, memberAt } from '../../json/record.ts'

/**
 * Something that a plan has read from the variables while it was made. The plan serves every request whose
 * variables agree with its decisions; it reads all other values as parameters, for each request.
 */
export type Decision = { variable: string; keys: readonly (string | number)[]; shape: ValueShape }

/** The part of a value that a plan depends on. */
export type ValueShape =
  /** Null, or not given at all. */
  | { kind: 'null' }
  /** Anything but null. */
  | { kind: 'value' }
  | { kind: 'list'; length: number }
  | { kind: 'object'; keys: readonly string[] }
  | { kind: 'exactly'; value: unknown }
  /** What is read of it: as the same text. */
  | { kind: 'reading'; read(value: unknown): string; text: string }
  /** A number of rows with so many digits. */
  | { kind: 'magnitude'; digits: number }

/** Whether these variables agree with the decision. */
export function decisionHolds({ variable, keys, shape }: Decision, variables: Variables): boolean {
  const value = keys.reduce<unknown>(
    memberAt,
    Object.hasOwn(variables, variable) ? variables[variable] : undefined,
  )
  switch (shape.kind) {
    case 'null':
      return value === null || value === undefined
    case 'value':
      return value !== null && value !== undefined
    case 'list':
      return Array.isArray(value) && value.length === shape.length
    case 'object':
      return isRecord(value) && sameKeys(Object.keys(value), shape.keys)
    case 'exactly':
      return Object.is(primitiveOf(value), primitiveOf(shape.value))
    case 'reading':
      return shape.read(value) === shape.text
    case 'magnitude':
      return digitCount(value) === shape.digits
  }
}

/** How many digits a number of rows is written with; whatever else is given is refused when it is read. */
export function digitCount(value: unknown): number {
  return String(primitiveOf(value)).length
}

export type Variables = Readonly<Record<string, unknown>>

function primitiveOf(value: unknown): unknown {
  return value instanceof Digits ? value.text : value
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i])
}
