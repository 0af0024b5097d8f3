import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { toLibraryError } from '../errors/unavailable.ts'
import { openRequestScope } from '../storage/request-scope.ts'

/**
 * Middleware of oidc-provider that opens the storage's scope of a request, and flushes it when oidc-provider has
 * composed its answer: changes that were put off, and not made together with a stored row, are made then.
 *
 * If that fails, the answer becomes the error, as if oidc-provider had waited for the change.
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

/** Replaces the answer by an error, without what it would have told the browser to keep or to go to. */
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
