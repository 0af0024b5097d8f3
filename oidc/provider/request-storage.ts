import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { toLibraryError } from '../errors/unavailable.ts'
import { openRequestScope } from '../storage/request-scope.ts'

/**
 * Middleware that opens a scope of the storage for the request, and flushes the scope when oidc-provider has composed
 * its response. The flush makes the deferred changes that were not yet made when a row was stored.
 *
 * If the flush fails, an error replaces the response, as if oidc-provider had waited for the change.
 */
export async function useRequestScope(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  const scope = openRequestScope(ctx)
  await next()
  try {
    await scope.flush()
  } catch (error) {
    answerWith(ctx, toLibraryError(error))
  }
}

/** Replaces the response with an error, and removes its cookies and its redirect. */
function answerWith(ctx: KoaContextWithOIDC, error: unknown) {
  ctx.remove('location')
  ctx.remove('set-cookie')
  if (error instanceof errors.OIDCProviderError) {
    ctx.status = error.statusCode
    ctx.body = { error: error.error, error_description: error.error_description }
  } else {
    ctx.oidc.provider.emit('server_error', ctx, error)
    ctx.status = 500
    ctx.body = { error: 'server_error' }
  }
}
