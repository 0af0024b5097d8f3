import type { Config } from '../../config/config.ts'

/** Returns the CORS headers of the response to a request from `origin`; none if the origin is missing or not allowed. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/** Reads the allowed origins from the configuration. */
export function createCorsHeaders({ disableCors, corsDomain }: Config): CorsHeaders {
  if (disableCors) return () => ({})
  const patterns = corsDomain.map(originPattern)
  return (origin) => {
    if (origin === undefined || !patterns.some((pattern) => pattern.test(origin))) return {}
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'GET,POST,PUT,PATCH,DELETE,OPTIONS',
    }
  }
}

/** Returns the further headers of the response to a preflight request. Allows every header that the request names. */
export function preflightHeaders(requestedHeaders: string): Record<string, string> {
  return {
    'Access-Control-Max-Age': '1728000',
    'Access-Control-Allow-Headers': requestedHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': '0',
  }
}

/** Returns the pattern for a configured domain. `*` alone matches any origin; in `https://*.example.com` it matches one label. */
function originPattern(domain: string): RegExp {
  if (domain === '*') return /^/
  const escaped = domain.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '[^./]+')}$`)
}
