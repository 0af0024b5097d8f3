import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Secrets, sameSecret } from '../../lib/runtime/secrets/secret.ts'
import { createRouteMakers } from '../../lib/runtime/web/route.ts'
import { Failure } from './answer-schemas.ts'
import type { LimitName } from './rate-limits.ts'
import { isForHasura } from './show-errors.ts'

export type HasuraServices = { internalSecrets: Secrets | undefined }

/** Any client. */
export const anyone = createRouteMakers<LimitName>({ who: 'any client', pages: 'none' })

/** Any client, and pages of any origin (CORS). Pages of other origins cannot read responses to requests with cookies. */
export const anyPage = createRouteMakers<LimitName>({ who: 'any page', pages: 'any' })

/** Selects the form of errors that Hasura gets (spec 7). */
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

/** The `security` in the OpenAPI document of an operation that reads an API key or a login token. */
export const BEARER = [{ bearer: [] }]

/**
 * Creates a handler that requires `Authorization: Bearer <secret>`, compared in constant time.
 *
 * @param secrets the secrets that only Hasura knows; if undefined, every request is refused
 * @throws permission_denied for a missing and for a wrong secret
 */
function requireHasura(secrets: Secrets | undefined): RequestHandler {
  return (request, _response, next) => {
    const { authorization = '' } = request.headers
    const isAccepted = secrets?.some((secret) => sameSecret(authorization, `Bearer ${secret}`))
    if (!isAccepted) throw new ApiError('permission_denied')
    next()
  }
}
