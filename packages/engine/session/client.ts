import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a request: names in lower case, repeated ones joined. */
export type ClientHeaders = Readonly<Record<string, string>>

/** The client that sent a request. */
export type Client = {
  headers: ClientHeaders
  /** The client's `x-request-id`, or a new one; it is also sent to webhooks and in the log. */
  requestId: string
  /** Aborted when the client disconnects before it has its answer. */
  signal: AbortSignal
}

/** Converts Node's form of headers. */
export function clientHeaders(headers: IncomingHttpHeaders): ClientHeaders {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value
  return joined
}
