import type { ApiError } from '../errors.ts'

/** The error body of the developer API: exactly `{ code, detail, attribute }` (spec 2.15). */
export function asRest({ code, message, attribute }: ApiError) {
  return { code, detail: message, attribute }
}
