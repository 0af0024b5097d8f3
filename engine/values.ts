import type { PgType } from './catalog.ts'
import { Digits } from './digits.ts'

/** Matches what metadata writes where a session variable is meant. */
const SESSION_VARIABLE = /^x-hasura-/i

/** Whether a constant of the metadata stands for a variable of the session. */
export function isSessionVariable(value: unknown): value is string {
  return typeof value === 'string' && SESSION_VARIABLE.test(value)
}

/** The text form of a JSON value for a parameter of this type; Postgres does the parsing. */
export function encode(type: PgType, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (isJson(type)) return JSON.stringify(value)
  if (Array.isArray(value) && type.element !== null) return arrayLiteral(elementOf(type), value)
  if (typeof value === 'string') return value
  if (value instanceof Digits) return value.text
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** Whether values are documents rather than texts. */
export function isJson({ name, base }: PgType): boolean {
  return name === 'json' || name === 'jsonb' || base?.name === 'json' || base?.name === 'jsonb'
}

/** The type of an array's elements. */
export function elementOf(type: PgType): PgType {
  return { ...type, name: type.element ?? type.name, element: null }
}

/** Postgres' text form of an array; nested lists become further dimensions. */
function arrayLiteral(element: PgType, items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (Array.isArray(item) && !isJson(element)) return arrayLiteral(element, item)
    const text = encode(element, item)
    return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}
