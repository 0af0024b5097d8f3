import { isNumeral } from '../../../lib/runtime/exact-json.ts'

/** Reports whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value)
}

/** Reports whether a value is a JSON array. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Returns the member of an object or list; undefined if it is missing. */
export function memberAt(value: unknown, key: string | number): unknown {
  if (isList(value)) return typeof key === 'number' ? value[key] : undefined
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
