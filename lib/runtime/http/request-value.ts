import type { ServerResponse } from 'node:http'
import { requireValue } from '../require-value.ts'

/** A typed value that a handler of a request sets for the later handlers. */
export type RequestValue<Value> = {
  set(response: ServerResponse, value: Value): void
  /** @throws Error if no handler has set the value: a bug in our code */
  get(response: ServerResponse): Value
  /** Returns null if the value is not set, for a value that only some requests have. */
  find(response: ServerResponse): Value | null
}

/**
 * Creates a store with a value for each request, which exists as long as the request's response. Use it instead of
 * Express's `response.locals`, which is not typed.
 *
 * @param name the value's name in the error that `get` throws, like `the parsed input`
 */
export function createRequestValue<Value>(name: string): RequestValue<Value> {
  const values = new WeakMap<ServerResponse, { value: Value }>()
  return {
    set: (response, value) => void values.set(response, { value }),
    get: (response) => requireValue(values.get(response), name).value,
    find: (response) => values.get(response)?.value ?? null,
  }
}
