import type { EngineError } from '../../errors.ts'
import type { MetadataStore } from '../../metadata-store/metadata-store.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Client } from '../../session/client.ts'
import type { Authenticate, Session } from '../../session/session.ts'

/** An HTTP request for an endpoint. */
export type EndpointRequest = {
  method: string
  /** The path without the query string, still percent-encoded. */
  path: string
  search(): URLSearchParams
  client: Client
  /**
   * Reads the whole body as text.
   *
   * @throws bad-request with status 413 if the body is too large, invalid-json if it is not UTF-8
   */
  body(): Promise<string>
}

/** An endpoint's reply. The server adds the length, the compression and the CORS headers. */
export type HttpReply = {
  status: number
  type: string
  /** The server may compress a string, and sends a buffer unchanged. */
  body: string | Buffer
  /** Headers in addition to the headers of every reply. */
  headers: Readonly<Record<string, string>>
  cookies: readonly string[]
  /** True if the reply has the header `x-request-id`. Replies that `errorReply` creates do not have this header. */
  hasRequestId: boolean
  /** What the endpoint did, for the log; missing if the endpoint does not authenticate its clients. */
  operation?: AnsweredOperation
  /** For the reply to a batch: what the log says of each entry's result. */
  batch?: readonly object[]
}

/** A GraphQL request or command that an endpoint answered, for the log. */
export type AnsweredOperation = {
  /** Null if the client could not be authenticated. */
  session: Session | null
  /** The parsed body. */
  body: unknown
  isGraphql: boolean
  error: EngineError | null
}

/** The services that endpoints use. */
export type EngineServices = { engine: Engine; authenticate: Authenticate; store: MetadataStore }

/** Answers a request. If the client has made an error, returns a reply with the error, and does not throw it. */
export type Endpoint = (request: EndpointRequest, services: EngineServices) => Promise<HttpReply>

/** Creates a reply with status 200 and JSON text. */
export function jsonReply(body: string, cookies: readonly string[] = []): HttpReply {
  return { status: 200, type: JSON_TYPE, body, headers: {}, cookies, hasRequestId: true }
}

/** Creates a reply with an error as JSON text. */
export function errorReply(status: number, body: string): HttpReply {
  return { status, type: JSON_TYPE, body, headers: {}, cookies: [], hasRequestId: false }
}

/** Creates a reply with plain text. */
export function textReply(status: number, body: string): HttpReply {
  const type = 'text/plain; charset=utf-8'
  return { status, type, body, headers: {}, cookies: [], hasRequestId: status < 400 }
}

const JSON_TYPE = 'application/json; charset=utf-8'
