import { Digits, isNumeral } from '../digits.ts'

/**
 * Something that a plan has read from the variables while it was made. The plan serves every request whose
 * variables agree with its decisions; it reads all other values as parameters, for each request.
 */
export type Decision = { variable: string; keys: readonly (string | number)[]; shape: Shape }

/** The part of a value that a plan depends on. */
export type Shape =
  /** Null, or not given at all. */
  | { is: 'null' }
  /** Anything else. */
  | { is: 'value' }
  | { is: 'list'; length: number }
  | { is: 'object'; keys: readonly string[] }
  | { is: 'exactly'; value: unknown }

/** Whether these variables agree with the decision. */
export function holds({ variable, keys, shape }: Decision, variables: Variables): boolean {
  const value = keys.reduce<unknown>(
    member,
    Object.hasOwn(variables, variable) ? variables[variable] : undefined,
  )
  switch (shape.is) {
    case 'null':
      return value === null || value === undefined
    case 'value':
      return value !== null && value !== undefined
    case 'list':
      return Array.isArray(value) && value.length === shape.length
    case 'object':
      return isRecord(value) && sameKeys(Object.keys(value), shape.keys)
    case 'exactly':
      return Object.is(primitive(value), primitive(shape.value))
  }
}

export type Variables = Readonly<Record<string, unknown>>

/** The member of an object or list; undefined where there is none. */
export function member(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Narrows to a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value)
}

function primitive(value: unknown): unknown {
  return value instanceof Digits ? value.text : value
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i])
}
