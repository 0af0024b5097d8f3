import type { IncomingHttpHeaders } from 'node:http'
import type { Action } from '../../compiler/model/model.ts'

/** One call of an action's handler. */
export type HandlerCall = {
  action: Action
  input: Readonly<Record<string, unknown>>
  sessionVariables: Readonly<Record<string, string>>
  /** The client's headers. */
  headers: IncomingHttpHeaders
  requestId: string | null
  /** The document as the client sent it; null for asynchronous actions. */
  query: string | null
}

/**
 * What an admin is shown of a call that failed; its headers are those of the metadata, without the values of
 * environment variables.
 */
export type HandlerExchange = { request: object; response: object | null }
