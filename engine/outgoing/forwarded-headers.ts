import type { ClientHeaders } from '../request/client.ts'

/** The client's headers that a webhook gets: all but those of `ignored` and those of one connection. */
export function forwardedHeaders(
  headers: ClientHeaders,
  ignored: ReadonlySet<string> | undefined = IGNORED,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ignored.has(name) && !HOP_BY_HOP.has(name)),
  )
}

/** Headers that concern the client's connection or what the client accepts. */
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

/** Headers of one connection only (RFC 9110, section 7.6.1); passing them on would break the next. */
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
