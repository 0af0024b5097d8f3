import type { KoaContextWithOIDC } from 'oidc-provider'
import { present } from '../../lib/runtime/present.ts'
import { addToRedirect } from '../clients/redirect-answer.ts'

/**
 * Sends the browser to the redirect URI as it was registered. The library parses the URI and writes its query anew.
 *
 * @see RFC 6749 3.1.2
 */
export function retainQuery(ctx: KoaContextWithOIDC) {
  const location = ctx.response.get('location')
  // Our own addresses are paths.
  if (!URL.canParse(location)) return
  const redirectUri = String(present(ctx.oidc.params, 'the parameters').redirect_uri)
  const { hash, searchParams } = new URL(location)
  ctx.set(
    'location',
    hash
      ? addToRedirect(redirectUri, 'fragment', new URLSearchParams(hash.slice(1)))
      : addToRedirect(redirectUri, 'query', withoutThoseOf(redirectUri, searchParams)),
  )
}

/** The parameters that the library has added to those of the redirect URI. */
function withoutThoseOf(redirectUri: string, answered: URLSearchParams): URLSearchParams {
  const registered = new URL(redirectUri).searchParams
  return new URLSearchParams([...answered].filter((pair) => !registered.has(...pair)))
}
