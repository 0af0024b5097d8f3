import type { RequestHandler } from 'express'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import { createRouteMakers } from '../../lib/runtime/web/route.ts'
import { Failure } from './answer-schemas.ts'
import type { LimitName } from './rate-limits.ts'
import { requireHasura } from './require-hasura.ts'
import { isForHasura } from './show-errors.ts'

export type HasuraServices = { internalSecrets: Secrets | undefined }

/** Any client. */
export const anyone = createRouteMakers<LimitName>({ who: 'any client', pages: 'none' })

/** Any client, and pages of any origin, which send no credentials (CORS). */
export const anyPage = createRouteMakers<LimitName>({ who: 'any page', pages: 'any' })

/** Sends failures in the form for Hasura (spec 7). */
const failAsInternal: RequestHandler = (_request, response, next) => {
  isForHasura.set(response, true)
  next()
}

/** Only Hasura, which sends the shared secret. */
export const onlyHasura = createRouteMakers<LimitName, HasuraServices>({
  who: 'Hasura',
  pages: 'none',
  admit: ({ internalSecrets }) => [failAsInternal, requireHasura(internalSecrets)],
  refusals: ['permission_denied'],
  security: [{ hasura: [] }],
  failure: Failure,
})

/** The security of an operation that reads an API key or a login token. */
export const BEARER = [{ bearer: [] }]
