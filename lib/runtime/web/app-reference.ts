import type { ServerResponse } from 'node:http'
import { requestContext } from '../http/request-context.ts'

/** Keeps the id in the field `name` as the id of the request's app, if there is a text. */
export function keepAppReference(fields: object, name: string, response: ServerResponse): void {
  const id: unknown = Reflect.get(fields, name)
  if (typeof id === 'string') requestContext.get(response).appReference = id
}
