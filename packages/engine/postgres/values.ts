import { Digits } from '../../../lib/runtime/exact-json.ts'
import type { PgType } from './catalog.ts'

const SESSION_VARIABLE = /^x-hasura-/i

/** Reports whether a constant in the metadata is the name of a session variable. */
export function isSessionVariable(value: unknown): value is string {
  return typeof value === 'string' && SESSION_VARIABLE.test(value)
}

/**
 * Returns the text that represents a JSON value when it is sent as a parameter of a type. PostgreSQL parses the text.
 */
export function encodeValue(type: PgType, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (isJsonType(type)) return JSON.stringify(value)
  if (Array.isArray(value) && type.element !== null) return arrayLiteral(elementType(type), value)
  if (typeof value === 'string') return withoutNul(value)
  if (value instanceof Digits) return value.text
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** Removes NUL, which PostgreSQL cannot store. Hasura removes it too. */
function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/** Reports whether the values of a type are JSON. */
export function isJsonType({ name, base }: PgType): boolean {
  return name === 'json' || name === 'jsonb' || base?.name === 'json' || base?.name === 'jsonb'
}

/** Returns the type of an array's elements. */
export function elementType(type: PgType): PgType {
  return { ...type, name: type.element ?? type.name, element: null }
}

/**
 * Returns the text of an item of a `json[]` or `jsonb[]`, as Hasura sends it. In `json[]`, a string that contains JSON
 * becomes that JSON; every other value is sent as its JSON text. In `jsonb[]`, a string that does not contain JSON
 * becomes a JSON string. Every other value of a `jsonb[]` begins with the version byte of PostgreSQL's binary form, so
 * PostgreSQL rejects it.
 */
function jsonItemText({ name }: PgType, item: unknown): string | null {
  if (item === null || item === undefined) return null
  const text = JSON.stringify(item)
  const isDocument = typeof item !== 'string' || isJson(item)
  if (name === 'jsonb') return isDocument ? `\u0001${text}` : text
  return typeof item === 'string' && isDocument ? item : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns PostgreSQL's text form of an array. Nested lists become further dimensions, except in an array of JSON. */
function arrayLiteral(element: PgType, items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (Array.isArray(item) && !isJsonType(element)) return arrayLiteral(element, item)
    const text = isJsonType(element) ? jsonItemText(element, item) : encodeValue(element, item)
    return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}
