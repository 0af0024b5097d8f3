import type { Config } from '../../config/config.ts'

/** The CORS headers of the answer to a request from `origin`; none when it is absent or not allowed. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/** Reads the allowed origins from the configuration. */
export function createCorsHeaders({ disableCors, corsDomain }: Config): CorsHeaders {
  if (disableCors) return () => ({})
  const patterns = corsDomain.map(originPattern)
  return (origin) => {
    if (origin === undefined || !patterns.some((allowed) => allowed.test(origin))) return {}
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'GET,POST,PUT,PATCH,DELETE,OPTIONS',
    }
  }
}

/** Further headers of the answer to a preflight request; every header that it asks for is allowed. */
export function preflightHeaders(requestedHeaders: string): Record<string, string> {
  return {
    'Access-Control-Max-Age': '1728000',
    'Access-Control-Allow-Headers': requestedHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': '0',
  }
}

/** The pattern for a configured domain: `*` alone is any origin, and in `https://*.example.com` any one label. */
function originPattern(domain: string): RegExp {
  if (domain === '*') return /^/
  const escaped = domain.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '[^./]+')}$`)
}
