import { createRouteMakers } from '../../lib/runtime/web/route.ts'
import { anyJson } from './any-json.ts'
import { oauthForm } from './oauth-form.ts'
import type { LimitName } from './rate-limits.ts'

/** Any client, and the browsers of people. */
export const anyone = createRouteMakers<LimitName>(
  { who: 'any client', pages: 'none' },
  { form: oauthForm },
)

/** Any client, and pages of any origin, without credentials (CORS). */
export const anyPage = createRouteMakers<LimitName>(
  { who: 'any page', pages: 'any' },
  { json: anyJson },
)

/** Any client, and pages of its own origins: oidc-provider says which they are. */
export const clientPage = createRouteMakers<LimitName>(
  { who: "the client's pages", pages: 'clients' },
  { form: oauthForm },
)
