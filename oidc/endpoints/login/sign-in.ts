import { createHmac, hash } from 'node:crypto'
import type { Request, Response } from 'express'
import { decodeJwt } from 'jose'
import type { InteractionResults } from 'oidc-provider'
import { formatField } from '../../../lib/proof/encoding.ts'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { requestContext } from '../../../lib/runtime/http/request-context.ts'
import { sameSecret } from '../../../lib/runtime/secrets/secret.ts'
import { INTERACTION_COOKIE } from '../../provider/configuration.ts'
import type { SignInProvider } from '../../provider/provider.ts'

type Interaction = Awaited<ReturnType<SignInProvider['library']['interactionDetails']>>

/** A sign-in in progress: the person is on the sign-in page. */
export type SignIn = {
  /** oidc-provider's record of the sign-in. */
  interaction: Interaction
  uid: string
  appId: string
  /**
   * The host to which the person returns: the host of the app's redirect URI in ASCII, with the port unless it is the
   * default.
   */
  site: string
  /** The scopes that the app requests, separated by spaces. */
  scope: string
  /** The subject that must sign in, if the app has sent an `id_token_hint`. */
  expectedSub: string | undefined
}

type Provider = { provider: () => SignInProvider }

/**
 * Returns the sign-in that this browser began. The browser's cookie must match the `uid` in the path.
 *
 * @throws sign_in_expired when the cookie does not match, or the sign-in has ended
 */
export async function requireSignIn(
  { provider }: Provider,
  request: Request,
  response: Response,
): Promise<SignIn> {
  const interaction = await provider().library.interactionDetails(request, response)
  const { uid, params, result } = interaction
  if (uid !== request.params.uid || result) throw new ApiError('sign_in_expired')
  const { client_id, redirect_uri, scope, id_token_hint } = params
  requestContext.get(response).appReference = String(client_id)
  return {
    interaction,
    uid,
    appId: String(client_id),
    site: new URL(String(redirect_uri)).host,
    scope: String(scope),
    // oidc-provider checked the signature of the hint when the sign-in began.
    expectedSub: id_token_hint === undefined ? undefined : decodeJwt(String(id_token_hint)).sub,
  }
}

/** True if the browser has sent a sign-in cookie with any value. */
export function hasSignInCookie({ headers }: Request): boolean {
  return SIGN_IN_COOKIE.test(headers.cookie ?? '')
}

const SIGN_IN_COOKIE = new RegExp(`(^|; *)${INTERACTION_COOKIE}=`)

/**
 * Distinguishes a browser that sends no cookies from a browser with an expired sign-in. The browser deletes the
 * cookie when the sign-in expires.
 *
 * @throws cookie_missing when the browser sent no cookie although the sign-in has not expired
 */
export async function requireCookie({ provider }: Provider, request: Request): Promise<void> {
  if (hasSignInCookie(request)) return
  const signIn = await provider().library.Interaction.find(String(request.params.uid))
  if (signIn) throw new ApiError('cookie_missing')
}

/**
 * Stores the result of the sign-in, and returns the URL at which the browser continues. Does the same as
 * oidc-provider's `interactionResult`, but does not read the interaction again.
 */
export async function storeResult(
  { interaction }: SignIn,
  result: InteractionResults,
): Promise<string> {
  interaction.result = result
  await interaction.persist()
  return interaction.returnTo
}

/**
 * Returns the signal of the proof for this sign-in, hashed to a field element. The signal is derived from the random
 * `uid`, which is used up with the proof. Wallets get the hash and not the signal, so any hash function will do.
 * Node's SHA-256 is much faster than Keccak in JavaScript.
 */
export function signalHashOf(uid: string): string {
  return formatField(BigInt(`0x${hash('sha256', `sign-in:${uid}`)}`) >> 8n)
}

/** The first key makes CSRF tokens; tokens made with any of the keys are accepted. */
export type CookieKeys = readonly [string, ...string[]]

/** Makes the token that proves that a request comes from the page of this sign-in. */
export function makeCsrfToken([key]: CookieKeys, uid: string): string {
  return csrfToken(key, uid)
}

/** @throws permission_denied */
export function requireCsrfToken(keys: CookieKeys, uid: string, token: string) {
  if (!keys.some((key) => sameSecret(csrfToken(key, uid), token)))
    throw new ApiError('permission_denied', { attribute: 'csrf' })
}

function csrfToken(key: string, uid: string): string {
  return createHmac('sha256', key).update(`csrf:${uid}`).digest('base64url')
}
