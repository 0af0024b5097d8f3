import { createHmac, hash } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { decodeJwt } from 'jose'
import type { InteractionResults } from 'oidc-provider'
import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { type Secrets, sameSecret } from '../../lib/secrets/secret.ts'
import { formatField } from '../../proof/encoding.ts'
import type { Person } from '../../verification/record.ts'
import type { Verification } from '../../verification/verification.ts'
import type { App, Apps } from '../clients/apps.ts'
import { userinfoUrl } from '../library/access-token.ts'
import { type Account, formatAccountId, VerificationLevel } from '../library/account.ts'
import { SCOPES, type SignInProvider } from '../library/provider.ts'
import { renderSignIn, type Wallet } from '../page/sign-in-page.ts'
import type { ArtifactStore } from '../storage/artifact-store.ts'

export type InteractionServices = {
  apps: Apps
  provider: () => SignInProvider
  verification: Pick<Verification, 'verify' | 'record'>
  artifacts: Pick<ArtifactStore, 'claim' | 'release'>
  issuer: string
  /** The first one makes CSRF tokens; tokens of all are accepted. */
  cookieKeys: readonly [string, ...string[]]
  clientSecretPeppers: Secrets
  rootMaxAgeSeconds: number
  wallet: Wallet
}

/** A wallet's answer (spec 2.1), which the page passes on. */
const ProofInput = z.object({
  csrf: z.string(),
  proof: z.string(),
  merkle_root: z.string(),
  nullifier_hash: z.string(),
  verification_level: VerificationLevel,
})

type ProofInput = z.infer<typeof ProofInput>

/** The page on which a person signs in with a proof, or reads why they cannot sign in to this app. */
export function showPage(services: InteractionServices): RequestHandler {
  return async (request, response) => {
    const { uid, appId } = await underWay(services, request, response)
    const app = requireApp(await services.apps.recall(appId))
    const action = openAction(app)
    const { html, headers } = renderSignIn({
      uid,
      appId,
      app,
      refusal: action instanceof ApiError ? action.message : null,
      csrf: csrfToken(services.cookieKeys[0], uid),
      signalHash: signalHash(uid),
      wallet: services.wallet,
    })
    response.set(headers).type('html').send(html)
  }
}

/**
 * Checks the proof, counts the person, and lets the sign-in go on.
 *
 * @returns `{ redirect_to }`
 * @throws sign_in_expired, permission_denied, validation_error, invalid_engine, action_inactive,
 *   invalid_format, invalid_merkle_root, root_too_old, invalid_proof, proof_used, unavailable
 */
export function submitProof(services: InteractionServices): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const signIn = await underWay(services, request, response)
    const { uid, appId, expectedSub } = signIn
    const input = readProof(request.body)
    requireCsrf(services, uid, input.csrf)
    // The app may be remembered from some seconds ago; the database checks it again in `countOnce`.
    const app = requireApp(await services.apps.recall(appId))
    const action = openAction(app)
    if (action instanceof ApiError) throw action
    const verdict = await services.verification.verify({
      proof: input.proof,
      nullifierHash: input.nullifier_hash,
      merkleRoot: input.merkle_root,
      // The server's own value, never the page's, so that a proof is valid for this sign-in only.
      signalHash: signalHash(uid),
      scope: action.scope,
      isStaging: app.is_staging,
      maxAgeSeconds: services.rootMaxAgeSeconds,
    })
    if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
    const account = {
      appId,
      nullifierHash: verdict.nullifierHash,
      verificationLevel: input.verification_level,
    }
    if (expectedSub !== undefined && expectedSub !== account.nullifierHash) {
      response.json({ redirect_to: await goOn(signIn.interaction, SOMEBODY_ELSE) })
      return
    }
    await countOnce(services, uid, {
      actionId: action.id,
      nullifierHash: account.nullifierHash,
      requestId: requestContext.get(response).requestId,
    })
    response.json({ redirect_to: await finish(services, signIn, account) })
  }
  return [express.text({ type: 'application/json', limit: 32 * 1_024 }), answer]
}

/** Sends the person back without a sign-in; the app receives the error `access_denied`. */
export function cancel(services: InteractionServices): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const { uid, interaction } = await underWay(services, request, response)
    requireCsrf(services, uid, readCsrf(request.body))
    response.json({ redirect_to: await goOn(interaction, CANCELLED) })
  }
  return [express.text({ type: 'application/json', limit: 1_024 }), answer]
}

const CANCELLED = { error: 'access_denied', error_description: 'The person did not sign in.' }

/** Required for an `id_token_hint` that names another person (OpenID Connect Core 3.1.2.1). */
const SOMEBODY_ELSE = {
  error: 'login_required',
  error_description: 'Somebody else signed in than the id_token_hint names.',
}

type Interaction = Awaited<ReturnType<SignInProvider['library']['interactionDetails']>>

type SignIn = {
  interaction: Interaction
  uid: string
  appId: string
  scope: string
  /** The subject that must sign in, if the app has sent an `id_token_hint`. */
  expectedSub: string | undefined
}

/**
 * The sign-in that this browser began: its cookie must match the `uid` in the path.
 *
 * @throws sign_in_expired when it does not, or the sign-in has ended
 */
async function underWay(
  { provider }: InteractionServices,
  request: Request,
  response: Response,
): Promise<SignIn> {
  const interaction = await provider().library.interactionDetails(request, response)
  const { uid, params, result } = interaction
  if (uid !== request.params.uid || result) throw new ApiError('sign_in_expired')
  const { client_id, scope, id_token_hint } = params
  return {
    interaction,
    uid,
    appId: String(client_id),
    scope: String(scope),
    // Its signature was checked when the sign-in began.
    expectedSub: id_token_hint === undefined ? undefined : decodeJwt(String(id_token_hint)).sub,
  }
}

/**
 * The signal of this sign-in's proof, hashed to a field element: it follows from the random `uid`, which is
 * used up with the proof. Wallets are given the hash and not the signal, so the hash function is ours to
 * choose; Node's own SHA-256 is much faster than Keccak in JavaScript.
 */
function signalHash(uid: string): string {
  return formatField(BigInt(`0x${hash('sha256', `sign-in:${uid}`)}`) >> 8n)
}

function csrfToken(key: string, uid: string): string {
  return createHmac('sha256', key).update(`csrf:${uid}`).digest('base64url')
}

function requireCsrf({ cookieKeys }: InteractionServices, uid: string, token: string) {
  if (!cookieKeys.some((key) => sameSecret(csrfToken(key, uid), token)))
    throw new ApiError('permission_denied', { attribute: 'csrf' })
}

function readProof(text: unknown): ProofInput {
  const parsed = ProofInput.safeParse(readJson(text))
  if (parsed.success) return parsed.data
  const attribute = parsed.error.issues[0]?.path[0]
  throw new ApiError('validation_error', { attribute: attribute?.toString() })
}

function readCsrf(text: unknown): string {
  return String(Object(readJson(text)).csrf)
}

function readJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch (cause) {
    throw new ApiError('invalid_request', { cause })
  }
}

/** @throws sign_in_expired */
function requireApp(app: App | undefined): App {
  if (!app) throw new ApiError('sign_in_expired', { detail: 'This app is no longer there.' })
  return app
}

type SignInAction = NonNullable<App['action']>

/** The sign-in action of an app, or an error that says why nobody can sign in to it now. */
function openAction({ engine, action }: App): SignInAction | ApiError {
  if (engine !== 'cloud')
    return new ApiError('invalid_engine', {
      attribute: 'engine',
      detail: 'This app verifies people on-chain: nobody can sign in to it here.',
    })
  return action?.status === 'active' ? action : switchedOff()
}

function switchedOff(): ApiError {
  return new ApiError('action_inactive', {
    attribute: 'status',
    detail: 'Sign-in to this app is switched off at present.',
  })
}

/**
 * Uses up the sign-in, so that it accepts one proof only, then counts the person. The sign-in action
 * has no limit: a person may sign in as often as they like.
 *
 * @throws proof_used, action_inactive, unavailable
 */
async function countOnce(
  { artifacts, verification }: InteractionServices,
  uid: string,
  person: Person,
) {
  const signIn = { model: 'Interaction', id: uid }
  if (!(await artifacts.claim(signIn))) throw new ApiError('proof_used')
  try {
    // It counts nobody if the action has been switched off since we looked.
    if (!(await verification.record(person))) throw switchedOff()
  } catch (error) {
    await artifacts.release(signIn)
    throw error
  }
}

/** Grants the requested scopes to this account, and returns the URL at which the browser continues. */
async function finish(
  { provider, issuer }: InteractionServices,
  { interaction, scope }: SignIn,
  account: Account,
): Promise<string> {
  const { library } = provider()
  const accountId = formatAccountId(account)
  const granted = scope.split(' ').filter((name) => SCOPES.includes(name))
  const grant = new library.Grant({ accountId, clientId: account.appId })
  grant.addOIDCScope(granted.join(' '))
  grant.addResourceScope(userinfoUrl(issuer), granted.join(' '))
  // save() chooses `jti` before it awaits anything, so the grant and the result share a statement.
  const saved = grant.save()
  const login = { accountId, remember: false }
  const [redirectTo] = await Promise.all([
    goOn(interaction, { login, consent: { grantId: grant.jti } }),
    saved,
  ])
  return redirectTo
}

/**
 * Stores the result of the sign-in, and returns the URL at which the browser continues. It does what the
 * library's `interactionResult` does, without reading the interaction again.
 */
async function goOn(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result
  await interaction.persist()
  return interaction.returnTo
}
