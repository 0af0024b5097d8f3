import type { Request, Response } from 'express'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { SignInProvider } from '../provider/provider.ts'

export type ProviderServices = { provider: () => SignInProvider }

/** Lets oidc-provider answer a request. */
export function answerByProvider(
  { provider }: ProviderServices,
  request: Request,
  response: Response,
) {
  return provider().handle(request, response)
}

/**
 * Lets oidc-provider answer on routes that pages of any origin may call. Removes `Origin`, because oidc-provider
 * would set other CORS headers for it.
 */
export function answerAnyOrigin(services: ProviderServices, request: Request, response: Response) {
  delete request.headers.origin
  return answerByProvider(services, request, response)
}

/** Creates an operation that oidc-provider answers without preparation, for pages of any origin. */
export function createProviderOperation(
  description: Omit<Operation<ProviderServices, unknown>, 'handle'>,
): Operation<ProviderServices, unknown> {
  return {
    ...description,
    handle: (services) => (_input, request, response) =>
      answerAnyOrigin(services, request, response),
  }
}
