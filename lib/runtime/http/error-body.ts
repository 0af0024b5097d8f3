import type { ApiError } from '../errors.ts'

/** Makes the JSON body of an error. `detail` is the error's message, perhaps with the request's id. */
export type ErrorBody = (error: ApiError, detail: string) => object

/** Makes an error body of the developer API: `{ code, detail, attribute }` (spec 2.15), and the error's results, if any. */
export function restErrorBody({ code, attribute, results }: ApiError, detail: string) {
  return { code, detail, attribute, ...(results && { results }) }
}
