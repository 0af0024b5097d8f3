import type { ApiError } from '../errors.ts'

/** Makes the JSON body of an error. `detail` is the error's message, perhaps with the request's id. */
export type ErrorBody = (error: ApiError, detail: string) => object

/** Makes an error body of the developer API: exactly `{ code, detail, attribute }` (spec 2.15). */
export function restErrorBody({ code, attribute }: ApiError, detail: string) {
  return { code, detail, attribute }
}
