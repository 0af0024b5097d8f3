import type { MetadataStore } from '../document/metadata-store.ts'
import type { Engine } from '../engine.ts'
import type { Client } from '../request/client.ts'
import type { Authenticate } from '../session/session.ts'

/** One HTTP request, as the endpoints see it. */
export type EndpointRequest = {
  method: string
  /** Still percent-encoded. */
  path: string
  search(): URLSearchParams
  client: Client
  /**
   * The whole body as text.
   *
   * @throws BodyTooLarge, and invalid-json when it is not UTF-8
   */
  body(): Promise<string>
}

/** What an endpoint answers; the server adds length, compression and CORS. */
export type HttpReply = {
  status: number
  type: string
  /** Text may be compressed; bytes are sent as they are. */
  body: string | Buffer
  /** Besides those that every reply has. */
  headers: Readonly<Record<string, string>>
  cookies: readonly string[]
  /** Whether the reply has the header `x-request-id`; failures do not. */
  hasRequestId: boolean
}

/** What endpoints work with. */
export type EngineServices = { engine: Engine; authenticate: Authenticate; store: MetadataStore }

/** Answers one request; it never throws for what the client did wrong. */
export type Endpoint = (request: EndpointRequest, services: EngineServices) => Promise<HttpReply>

/** A successful reply with JSON text. */
export function jsonReply(body: string, cookies: readonly string[] = []): HttpReply {
  return { status: 200, type: JSON_TYPE, body, headers: {}, cookies, hasRequestId: true }
}

/** A failure with JSON text. */
export function errorReply(status: number, body: string): HttpReply {
  return { status, type: JSON_TYPE, body, headers: {}, cookies: [], hasRequestId: false }
}

/** A reply of plain text. */
export function textReply(status: number, body: string): HttpReply {
  const type = 'text/plain; charset=utf-8'
  return { status, type, body, headers: {}, cookies: [], hasRequestId: status < 400 }
}

const JSON_TYPE = 'application/json; charset=utf-8'
