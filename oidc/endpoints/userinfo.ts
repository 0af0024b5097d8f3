import type { RequestHandler } from 'express'
import type { SignInProvider } from '../provider/provider.ts'
import { refuseBearer, requireBearer } from './bearer.ts'

type Services = { provider: () => SignInProvider }

/**
 * Prepares `/userinfo` for the library: takes the token from the header, nowhere else, and replaces it
 * by its handle. Nothing else in a POST matters, so the library sees it as a GET.
 *
 * @throws unauthenticated, invalid_token
 * @see RFC 6750 2.1 and 3
 */
export function readBearerToken({ provider }: Services): RequestHandler {
  return async (request, response, next) => {
    const token = requireBearer(request, response)
    const handle = await provider().accessTokens.open(token)
    if (!handle) refuseBearer(response)
    request.headers.authorization = `Bearer ${handle}`
    request.method = 'GET'
    request.url = '/userinfo'
    next()
  }
}
