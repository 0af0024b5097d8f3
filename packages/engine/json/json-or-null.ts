import { parseExactJson } from '../../../lib/runtime/exact-json.ts'

/** Parses JSON. Returns null if the text is not JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses JSON, and keeps the digits of numbers that a double cannot hold. Returns null if the text is not JSON. */
export function exactJsonOrNull(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}
