import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a request: names in lower case, repeated ones joined. */
export type ClientHeaders = Readonly<Record<string, string>>

/** What later stages may need to know about the connection of a request. */
export type Client = {
  headers: ClientHeaders
  /** The client's `x-request-id`, or one of ours; webhooks and the log have the same. */
  requestId: string
  /**
   * Calls `listener` when the client has gone and nobody waits for the answer, at once if that is so already.
   *
   * @returns a function that removes the listener
   */
  onGone(listener: () => void): () => void
}

/** Reads Node's form of headers. */
export function clientHeaders(headers: IncomingHttpHeaders): ClientHeaders {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) own[name] = Array.isArray(value) ? value.join(', ') : value
  return own
}
