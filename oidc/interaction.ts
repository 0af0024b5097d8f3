import { createHmac } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { decodeJwt } from 'jose'
import type { InteractionResults } from 'oidc-provider'
import { z } from 'zod'
import { ApiError } from '../lib/errors.ts'
import { type Secrets, sameSecret } from '../lib/secret.ts'
import { formatField, hashToField } from '../proof/encoding.ts'
import type { Person } from '../verification/record.ts'
import type { Verification } from '../verification/verification.ts'
import { userinfoUrl } from './access-token.ts'
import { type Account, formatAccountId, VerificationLevel } from './account.ts'
import type { Artifacts } from './adapter.ts'
import type { App, Apps } from './apps.ts'
import { renderSignIn, type Wallet } from './page/sign-in-page.ts'
import { SCOPES, type SignInProvider } from './provider.ts'

export type InteractionServices = {
  apps: Apps
  provider: () => SignInProvider
  verification: Pick<Verification, 'verify' | 'record'>
  artifacts: Pick<Artifacts, 'claim' | 'release'>
  issuer: string
  /** The first one makes tokens against forged requests, all are accepted. */
  cookieKeys: readonly [string, ...string[]]
  clientSecretPeppers: Secrets
  rootMaxAgeSeconds: number
  wallet: Wallet
}

/** What a wallet answers, passed on by the page (spec 2.1). */
const ProofInput = z.object({
  csrf: z.string(),
  proof: z.string(),
  merkle_root: z.string(),
  nullifier_hash: z.string(),
  verification_level: VerificationLevel,
})

type ProofInput = z.infer<typeof ProofInput>

/** The page on which a person proves to be one, or learns why this app cannot be signed in to. */
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
    // Whether it is still so is seen again when the person is counted.
    const app = requireApp(await services.apps.recall(appId))
    const action = openAction(app)
    if (action instanceof ApiError) throw action
    const verdict = await services.verification.verify({
      proof: input.proof,
      nullifierHash: input.nullifier_hash,
      merkleRoot: input.merkle_root,
      // The server's own, never the page's: so a proof is good for this sign-in alone.
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
      requestId: response.locals.context.requestId,
    })
    response.json({ redirect_to: await finish(services, signIn, account) })
  }
  return [express.text({ type: 'application/json', limit: 32 * 1_024 }), answer]
}

/** The person goes back without having signed in; the app is told `access_denied`. */
export function cancel(services: InteractionServices): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const { uid, interaction } = await underWay(services, request, response)
    requireCsrf(services, uid, readCsrf(request.body))
    response.json({ redirect_to: await goOn(interaction, CANCELLED) })
  }
  return [express.text({ type: 'application/json', limit: 1_024 }), answer]
}

const CANCELLED = { error: 'access_denied', error_description: 'The person did not sign in.' }

/** OpenID Connect Core 3.1.2.1, of id_token_hint. */
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
  /** Who it must be, if the app has said so. */
  expectedSub: string | undefined
}

/** The sign-in that this browser began: it has the cookie of it, and asks for its very path. */
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

/** What a proof of this sign-in is bound to: drawn by the server, and used once. */
function signalHash(uid: string): string {
  return formatField(hashToField(`sign-in:${uid}`))
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

/** What a proof is for, or why nobody can sign in to the app now. */
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
 * Takes the sign-in for one proof, then counts the person; the same person may sign in again and
 * again, since the sign-in action has no limit.
 */
async function countOnce(
  { artifacts, verification }: InteractionServices,
  uid: string,
  person: Person,
) {
  const signIn = { model: 'Interaction', id: uid }
  if (!(await artifacts.claim(signIn))) throw new ApiError('proof_used')
  try {
    // Since we looked it may have been switched off.
    if (!(await verification.record(person))) throw switchedOff()
  } catch (error) {
    await artifacts.release(signIn)
    throw error
  }
}

/** Grants what was asked for, to this account, and says where the browser goes on. */
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
  // Its id is drawn at once; so both are written by one statement.
  const saved = grant.save()
  const login = { accountId, remember: false }
  const [redirectTo] = await Promise.all([
    goOn(interaction, { login, consent: { grantId: grant.jti } }),
    saved,
  ])
  return redirectTo
}

/**
 * Says where the browser goes on, with this result of the sign-in: what `interactionResult` of the
 * library does, without reading the interaction once more.
 */
async function goOn(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result
  await interaction.persist()
  return interaction.returnTo
}
