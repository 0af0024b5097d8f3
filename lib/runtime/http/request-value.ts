import type { ServerResponse } from 'node:http'
import { present } from '../present.ts'

/** One typed value that a step on a request's way leaves for the steps after it. */
export type RequestValue<Value> = {
  set(response: ServerResponse, value: Value): void
  /** @throws Error when no step has set it, which is a bug of ours */
  get(response: ServerResponse): Value
  /** For a value that only some requests have. */
  find(response: ServerResponse): Value | null
}

/**
 * Makes a place for one value of each request, which lasts as long as the request's response. Express's own place
 * for such values, `response.locals`, is not typed.
 *
 * @param what names the value in the error when it is missing, such as `the parsed input`
 */
export function requestValue<Value>(what: string): RequestValue<Value> {
  const kept = new WeakMap<ServerResponse, { value: Value }>()
  return {
    set: (response, value) => void kept.set(response, { value }),
    get: (response) => present(kept.get(response), what).value,
    find: (response) => kept.get(response)?.value ?? null,
  }
}
