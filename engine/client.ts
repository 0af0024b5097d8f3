import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a request: names in lower case, several values of one name joined. */
export type ClientHeaders = Readonly<Record<string, string>>

/** What a later stage may need of the connection that a request came on. */
export type Client = {
  headers: ClientHeaders
  /** The client's own `x-request-id`, else ours; webhooks and the log see the same. */
  requestId: string
  /** Calls back when nobody waits for the answer any more, at once if so already; returns what takes that back. */
  onGone(listener: () => void): () => void
}

/** Reads Node's form of headers. */
export function clientHeaders(headers: IncomingHttpHeaders): ClientHeaders {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) own[name] = Array.isArray(value) ? value.join(', ') : value
  return own
}
