import type { MetadataStore } from '../../metadata-store/metadata-store.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Client } from '../../session/client.ts'
import type { Authenticate } from '../../session/session.ts'

/** An HTTP request as endpoints see it. */
export type EndpointRequest = {
  method: string
  /** Without the query string; still percent-encoded. */
  path: string
  search(): URLSearchParams
  client: Client
  /**
   * The whole body as text.
   *
   * @throws bad-request with status 413 when the body is too large, invalid-json when it is not UTF-8
   */
  body(): Promise<string>
}

/** An endpoint's answer; the server adds the length, compression and the headers of CORS. */
export type HttpReply = {
  status: number
  type: string
  /** A string may be compressed; a buffer is sent unchanged. */
  body: string | Buffer
  /** In addition to those that every reply has. */
  headers: Readonly<Record<string, string>>
  cookies: readonly string[]
  /** Whether the reply has the header `x-request-id`; errors do not. */
  hasRequestId: boolean
}

/** What endpoints need in order to answer. */
export type EngineServices = { engine: Engine; authenticate: Authenticate; store: MetadataStore }

/** Answers one request; mistakes of the client are answered too, and never thrown. */
export type Endpoint = (request: EndpointRequest, services: EngineServices) => Promise<HttpReply>

/** A reply with status 200 and JSON text. */
export function jsonReply(body: string, cookies: readonly string[] = []): HttpReply {
  return { status: 200, type: JSON_TYPE, body, headers: {}, cookies, hasRequestId: true }
}

/** A reply with an error as JSON text. */
export function errorReply(status: number, body: string): HttpReply {
  return { status, type: JSON_TYPE, body, headers: {}, cookies: [], hasRequestId: false }
}

/** A reply of plain text. */
export function textReply(status: number, body: string): HttpReply {
  const type = 'text/plain; charset=utf-8'
  return { status, type, body, headers: {}, cookies: [], hasRequestId: status < 400 }
}

const JSON_TYPE = 'application/json; charset=utf-8'
