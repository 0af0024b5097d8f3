import type { ClientHeaders } from '../request/client.ts'

/** The client's headers that are forwarded to a webhook: all but those in `ignored` and the hop-by-hop headers. */
export function forwardedHeaders(
  headers: ClientHeaders,
  ignored: ReadonlySet<string> | undefined = IGNORED,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ignored.has(name) && !HOP_BY_HOP.has(name)),
  )
}

/** Headers about the client's own connection, and about what the client accepts. */
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

/** Headers that are for one connection only and must not be forwarded (RFC 9110, section 7.6.1). */
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
