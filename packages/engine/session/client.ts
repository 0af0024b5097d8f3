import type { IncomingHttpHeaders } from 'node:http'

/** The headers of a request: names in lower case, values of repeated headers joined. */
export type ClientHeaders = Readonly<Record<string, string>>

/** The client that sent a request. */
export type Client = {
  headers: ClientHeaders
  /** The client's `x-request-id`, or a new ID. Webhooks and the log get the same ID. */
  requestId: string
  /** Aborted if the client disconnects before it gets the response. */
  signal: AbortSignal
}

export function clientHeaders(headers: IncomingHttpHeaders): ClientHeaders {
  const joinedHeaders: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joinedHeaders[name] = Array.isArray(value) ? value.join(', ') : value
  return joinedHeaders
}
