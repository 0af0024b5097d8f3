import type { MetadataStore } from '../document/metadata-store.ts'
import type { Engine } from '../engine.ts'
import type { Client } from '../request/client.ts'
import type { Authenticate } from '../session/session.ts'

/** One HTTP request, as the endpoints see it. */
export type Exchange = {
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
export type Reply = {
  status: number
  type: string
  /** Text may be compressed; bytes are sent as they are. */
  body: string | Buffer
  /** Besides those that every reply has. */
  headers: Readonly<Record<string, string>>
  cookies: readonly string[]
  /** Whether the reply has the header `x-request-id`; failures do not. */
  named: boolean
}

/** What endpoints work with. */
export type Services = { engine: Engine; authenticate: Authenticate; store: MetadataStore }

/** Answers one request; it never throws for what the client did wrong. */
export type Endpoint = (exchange: Exchange, services: Services) => Promise<Reply>

/** A successful reply with JSON text. */
export function json(body: string, cookies: readonly string[] = []): Reply {
  return { status: 200, type: JSON_TYPE, body, headers: {}, cookies, named: true }
}

/** A failure with JSON text. */
export function failure(status: number, body: string): Reply {
  return { status, type: JSON_TYPE, body, headers: {}, cookies: [], named: false }
}

/** A reply of plain text. */
export function text(status: number, body: string): Reply {
  const type = 'text/plain; charset=utf-8'
  return { status, type, body, headers: {}, cookies: [], named: status < 400 }
}

const JSON_TYPE = 'application/json; charset=utf-8'
