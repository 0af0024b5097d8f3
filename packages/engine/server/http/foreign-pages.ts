import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback, isOwnHost, isOwnOrigin } from '../../../../lib/runtime/http/own-hosts.ts'
import type { Config } from '../../config/config.ts'
import { createCorsHeaders } from './cors.ts'

/** Whether a request may come from a page that the person at this machine did not mean to let in. */
export type ForeignPageCheck = (headers: IncomingHttpHeaders) => boolean

/** Why such a request is refused. */
export const FOREIGN_PAGE =
  'without an admin secret only programs and pages of this machine are answered: set HASURA_GRAPHQL_ADMIN_SECRET, or name the website in HASURA_GRAPHQL_CORS_DOMAIN'

/**
 * An engine that is developed with has often no admin secret, so that everybody who reaches it is admin, and may run SQL. It
 * listens on loopback, where any website that is open in a browser on the same machine reaches it, too: CORS does not
 * keep a page from sending. So there only pages of this machine are answered, and those that the settings name.
 */
export function createForeignPageCheck(config: Config): ForeignPageCheck {
  const { adminSecret, authHook, jwtSecret, jwtSecrets, host, corsDomain } = config
  const needsSecret = [adminSecret, authHook, jwtSecret, jwtSecrets].some((one) => one !== null)
  if (needsSecret || !isLoopback(host)) return () => false
  const namesOrigins = !corsDomain.includes('*')
  const corsHeaders = createCorsHeaders(config)
  const isNamed = (origin: string) => namesOrigins && Object.keys(corsHeaders(origin)).length > 0
  return ({ host: asked, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode }) => {
    // A foreign host name that resolves to this machine (DNS rebinding).
    if (!isOwnHost(asked, [host])) return true
    if (origin !== undefined) return !(isOwnOrigin(origin) || isNamed(origin))
    // A page elsewhere can link here, and nothing more.
    return site === 'cross-site' && mode !== 'navigate'
  }
}
