import { Digits } from '../../../../lib/runtime/exact-json.ts'
import { isRecord, memberAt } from '../../json/record.ts'

/**
 * A fact about the variables that a plan depends on. The plan serves every request if the variables agree with all the plan's
 * decisions. Everything else in the variables is read as parameters, for each request.
 */
export type Decision = { variable: string; keys: readonly (string | number)[]; shape: ValueShape }

/** The part of a value that a plan depends on. */
export type ValueShape =
  /** Null or missing. */
  | { kind: 'null' }
  /** Neither null nor missing. */
  | { kind: 'value' }
  | { kind: 'list'; length: number }
  | { kind: 'object'; keys: readonly string[] }
  | { kind: 'exactly'; value: unknown }
  /** A value for which `read` returns `text`. */
  | { kind: 'reading'; read(value: unknown): string; text: string }
  /** A number of rows with this number of digits. */
  | { kind: 'magnitude'; digits: number }

/** Reports whether variables agree with a decision. */
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

/**
 * Returns the number of digits of a number of rows. A value that is not a number is rejected later, when it is read.
 */
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
