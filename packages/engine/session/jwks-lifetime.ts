import type { IncomingHttpHeaders } from 'node:http'

/** How long the engine uses keys if their server allows less than a second. */
const SHORTEST_MS = 60_000

/**
 * How long the engine uses keys if neither `Cache-Control` nor `Expires` gives a time. Hasura never refreshes such
 * keys.
 */
const WITHOUT_HEADERS_MS = 600_000

/**
 * Returns for how many milliseconds the keys of a JSON Web Key Set may be used before the set is fetched again.
 *
 * @see https://hasura.io/docs/2.0/auth/authentication/jwt/#rotating-jwks
 */
export function keysLifetimeMs(headers: IncomingHttpHeaders, now: number): number {
  const control = headers['cache-control']
  const lifetime =
    (control === undefined ? null : cacheControlMs(control)) ?? expiresMs(headers.expires, now)
  if (lifetime === null) return WITHOUT_HEADERS_MS
  return lifetime < 1_000 ? SHORTEST_MS : lifetime
}

/** Returns the lifetime from `Cache-Control` (RFC 9111, section 5.2.2); null if the header has none. */
function cacheControlMs(header: string): number | null {
  const directives = header
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
  const maxAge = directives.map(maxAgeOf).find((seconds) => seconds !== null)
  if (directives.includes('must-revalidate')) return (maxAge ?? 0) * 1_000
  if (directives.includes('no-cache') || directives.includes('no-store')) return 0
  return maxAge === undefined ? null : maxAge * 1_000
}

function maxAgeOf(directive: string): number | null {
  const seconds = /^(?:max-age|s-maxage)="?(\d+)"?$/.exec(directive)?.[1]
  return seconds === undefined ? null : Number(seconds)
}

/** Returns the lifetime from `Expires` (RFC 9111, section 5.3): 0 for an invalid date, null without the header. */
function expiresMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  const expiry = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(expiry) ? 0 : expiry - now
}
