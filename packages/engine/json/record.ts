import { isNumeral } from '../../../lib/runtime/exact-json.ts'

/** Narrows to a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumeral(value)
}

/** Narrows to a JSON array, whose items are not known yet. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The member of an object or list; undefined where there is none. */
export function memberAt(value: unknown, key: string | number): unknown {
  if (isList(value)) return typeof key === 'number' ? value[key] : undefined
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
