import { createRouteMakers } from '../../lib/runtime/web/route.ts'
import { anyJson } from './any-json.ts'
import { oauthForm } from './oauth-form.ts'
import type { LimitName } from './rate-limits.ts'

/** Routes for any client and for people's browsers. */
export const anyone = createRouteMakers<LimitName>(
  { who: 'any client', pages: 'none' },
  { form: oauthForm },
)

/** Routes for any client, and for pages of any origin (CORS without credentials). */
export const anyPage = createRouteMakers<LimitName>(
  { who: 'any page', pages: 'any' },
  { json: anyJson },
)

/** Routes for any client and for pages of the client's origins, which oidc-provider determines (CORS). */
export const clientPage = createRouteMakers<LimitName>(
  { who: "the client's pages", pages: 'clients' },
  { form: oauthForm },
)
