import type { Request, Response } from 'express'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { SignInProvider } from '../provider/provider.ts'

export type ProviderServices = { provider: () => SignInProvider }

/** Lets oidc-provider answer a request. */
export function passOn({ provider }: ProviderServices, request: Request, response: Response) {
  return provider().handle(request, response)
}

/** The same on routes for pages of any origin: with an origin, oidc-provider would set CORS headers of its own. */
export function passOnFromAnyPage(
  services: ProviderServices,
  request: Request,
  response: Response,
) {
  delete request.headers.origin
  return passOn(services, request, response)
}

/** An operation that needs no preparation: oidc-provider answers it for pages of any origin. */
export function answeredByProvider(
  description: Omit<Operation<ProviderServices, unknown>, 'handle'>,
): Operation<ProviderServices, unknown> {
  return {
    ...description,
    handle: (services) => (_input, request, response) =>
      passOnFromAnyPage(services, request, response),
  }
}
