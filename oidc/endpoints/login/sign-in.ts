import { createHmac, hash } from 'node:crypto'
import type { Request, Response } from 'express'
import { decodeJwt } from 'jose'
import type { InteractionResults } from 'oidc-provider'
import { formatField } from '../../../lib/proof/encoding.ts'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { sameSecret } from '../../../lib/runtime/secrets/secret.ts'
import { INTERACTION_COOKIE } from '../../provider/configuration.ts'
import type { SignInProvider } from '../../provider/provider.ts'

type Interaction = Awaited<ReturnType<SignInProvider['library']['interactionDetails']>>

/** A sign-in that is under way: a person is on its page. */
export type SignIn = {
  /** oidc-provider's record of it. */
  interaction: Interaction
  uid: string
  appId: string
  /** Where the person goes on from here: the host of the app's redirect URI, in ASCII, with a port that is not the usual one. */
  site: string
  /** The scopes that the app asks for, with spaces between them. */
  scope: string
  /** The subject that must sign in, if the app has sent an `id_token_hint`. */
  expectedSub: string | undefined
}

type Provider = { provider: () => SignInProvider }

/**
 * The sign-in that this browser began: its cookie must match the `uid` in the path.
 *
 * @throws sign_in_expired when it does not, or the sign-in has ended
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
  return {
    interaction,
    uid,
    appId: String(client_id),
    site: new URL(String(redirect_uri)).host,
    scope: String(scope),
    // Its signature was checked when the sign-in began.
    expectedSub: id_token_hint === undefined ? undefined : decodeJwt(String(id_token_hint)).sub,
  }
}

/** Whether the browser has sent the cookie of a sign-in, whatever its value. */
export function hasSignInCookie({ headers }: Request): boolean {
  return SIGN_IN_COOKIE.test(headers.cookie ?? '')
}

const SIGN_IN_COOKIE = new RegExp(`(^|; *)${INTERACTION_COOKIE}=`)

/**
 * Tells a browser that sends no cookies from one that comes too late: the browser deletes the cookie when the sign-in
 * expires.
 *
 * @throws cookie_missing when the sign-in is still under way
 */
export async function requireCookie({ provider }: Provider, request: Request): Promise<void> {
  if (hasSignInCookie(request)) return
  const signIn = await provider().library.Interaction.find(String(request.params.uid))
  if (signIn) throw new ApiError('cookie_missing')
}

/**
 * Stores the result of the sign-in, and returns the URL at which the browser continues. It does what the
 * library's `interactionResult` does, without reading the interaction again.
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
 * The signal of this sign-in's proof, hashed to a field element: it follows from the random `uid`, which is
 * used up with the proof. Wallets are given the hash and not the signal, so the hash function is ours to
 * choose; Node's own SHA-256 is much faster than Keccak in JavaScript.
 */
export function signalHashOf(uid: string): string {
  return formatField(BigInt(`0x${hash('sha256', `sign-in:${uid}`)}`) >> 8n)
}

/** The first one makes CSRF tokens; tokens of all are accepted. */
export type CookieKeys = readonly [string, ...string[]]

/** The token that shows that a request comes from the page of this sign-in. */
export function makeCsrfToken([key]: CookieKeys, uid: string): string {
  return csrfToken(key, uid)
}

/** @throws permission_denied */
export function requireCsrfToken(keys: CookieKeys, uid: string, given: string) {
  if (!keys.some((key) => sameSecret(csrfToken(key, uid), given)))
    throw new ApiError('permission_denied', { attribute: 'csrf' })
}

function csrfToken(key: string, uid: string): string {
  return createHmac('sha256', key).update(`csrf:${uid}`).digest('base64url')
}
