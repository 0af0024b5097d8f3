import type { IncomingHttpHeaders } from 'node:http'
import type { Action } from '../../compiler/model/model.ts'

/** A call of an action's handler. */
export type HandlerCall = {
  action: Action
  input: Readonly<Record<string, unknown>>
  sessionVariables: Readonly<Record<string, string>>
  /** The client's headers. */
  headers: IncomingHttpHeaders
  requestId: string | null
  /** The client's GraphQL document; null for asynchronous actions. */
  query: string | null
}

/**
 * The description of a call, for the `internal` part of an error. The request's headers are shown as in the metadata, without the
 * values of environment variables.
 */
export type HandlerExchange = { request: object; response: object | null }
