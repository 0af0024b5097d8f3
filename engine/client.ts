import type { IncomingHttpHeaders } from 'node:http'

/** Headers of a request: names in lower case, several values of one name joined. */
export type ClientHeaders = Readonly<Record<string, string>>

/** What a later stage may need of the connection that a request came on. */
export type Client = {
  headers: ClientHeaders
  /** The client's own `x-request-id`, else ours; webhooks and the log see the same. */
  requestId: string
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
  /** The same for who needs no more than to be called; returns what takes it back. */
  onGone(listener: () => void): () => void
}

/** What is known of a client through a signal. */
export function goneBy(signal: AbortSignal): Pick<Client, 'signal' | 'onGone'> {
  return {
    signal,
    onGone(listener) {
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  }
}

/** Reads Node's form of headers. */
export function clientHeaders(headers: IncomingHttpHeaders): ClientHeaders {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) own[name] = Array.isArray(value) ? value.join(', ') : value
  return own
}
