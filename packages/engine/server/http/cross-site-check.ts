import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback, isOwnHost, isOwnOrigin } from '../../../../lib/runtime/http/own-hosts.ts'
import type { Config } from '../../config/config.ts'
import { createCorsHeaders } from './cors.ts'

/** Reports whether a request may come from a foreign website in a browser on this machine. */
export type CrossSiteCheck = (headers: IncomingHttpHeaders) => boolean

/** The message for a rejected request. */
export const CROSS_SITE_MESSAGE =
  'without an admin secret, only programs and pages on this machine may send requests: set HASURA_GRAPHQL_ADMIN_SECRET, or add the website to HASURA_GRAPHQL_CORS_DOMAIN'

/**
 * Creates the check for foreign websites. During development an engine often has no admin secret, so that every caller is admin
 * and may run SQL. It listens on loopback, but any website in a browser on this machine can reach it: CORS does not stop a page
 * from sending requests. So without a secret, only pages of this machine, and websites that HASURA_GRAPHQL_CORS_DOMAIN names,
 * are allowed.
 */
export function createCrossSiteCheck(config: Config): CrossSiteCheck {
  const { adminSecret, authHook, jwtSecret, jwtSecrets, host, corsDomain } = config
  const needsSecret = [adminSecret, authHook, jwtSecret, jwtSecrets].some(
    (setting) => setting !== null,
  )
  if (needsSecret || !isLoopback(host)) return () => false
  const listsOrigins = !corsDomain.includes('*')
  const corsHeaders = createCorsHeaders(config)
  const isListed = (origin: string) => listsOrigins && Object.keys(corsHeaders(origin)).length > 0
  return ({ host: requestHost, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode }) => {
    // A foreign host name that resolves to this machine (DNS rebinding).
    if (!isOwnHost(requestHost, [host])) return true
    if (origin !== undefined) return !(isOwnOrigin(origin) || isListed(origin))
    // A foreign page may only link to this server.
    return site === 'cross-site' && mode !== 'navigate'
  }
}
