import type { ClientHeaders } from './client.ts'

/** Returns the client's headers to forward to a webhook: all except `ignored` and the hop-by-hop headers. */
export function forwardedHeaders(
  headers: ClientHeaders,
  ignored: ReadonlySet<string> | undefined = IGNORED,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ignored.has(name) && !HOP_BY_HOP.has(name)),
  )
}

/**
 * Returns the client's headers to forward to a server that acts for the client. Leaves out the session variables; the
 * engine adds the authenticated values separately. Adds `host`, `user-agent` and `origin` under new names, such as
 * `X-Forwarded-Host`.
 */
export function forwardedClientHeaders(
  headers: ClientHeaders,
  ignored?: ReadonlySet<string>,
): Record<string, string> {
  const forwardedEntries = Object.entries(forwardedHeaders(headers, ignored))
  return {
    ...Object.fromEntries(forwardedEntries.filter(([name]) => !name.startsWith('x-hasura-'))),
    ...renamedHeader(headers, 'host', 'X-Forwarded-Host'),
    ...renamedHeader(headers, 'user-agent', 'X-Forwarded-User-Agent'),
    ...renamedHeader(headers, 'origin', 'X-Forwarded-Origin'),
  }
}

function renamedHeader(headers: ClientHeaders, from: string, to: string): Record<string, string> {
  const value = headers[from]
  return value === undefined ? {} : { [to]: value }
}

/**
 * The headers that are not forwarded by default. They describe the client, its connection, or the formats that it sends
 * and accepts.
 */
const IGNORED: ReadonlySet<string> = new Set([
  'content-length',
  'content-md5',
  'user-agent',
  'host',
  'origin',
  'referer',
  'accept',
  'accept-encoding',
  'accept-language',
  'accept-datetime',
  'cache-control',
  'connection',
  'dnt',
  'content-type',
])

/**
 * Headers that are never forwarded: headers for a single connection (RFC 9110, section 7.6.1), and headers that each
 * sender sets.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
