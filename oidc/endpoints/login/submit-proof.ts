import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { requestContext } from '../../../lib/runtime/http/request-context.ts'
import { callerAddress } from '../../../lib/runtime/limits/rate-limiter.ts'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import type { Person } from '../../../lib/verification/record/record-person.ts'
import type { Verification } from '../../../lib/verification/verification.ts'
import type { Apps } from '../../clients/app-cache.ts'
import { userinfoUrl } from '../../provider/access-token.ts'
import { type Account, formatAccountId, VerificationLevel } from '../../provider/account.ts'
import type { SignInProvider } from '../../provider/provider.ts'
import { SCOPES } from '../../provider/scopes.ts'
import { showErrorPage } from '../../provider/show-errors.ts'
import type { ArtifactStore } from '../../storage/artifact-store.ts'
import { NextPage } from './next-page.ts'
import {
  type CookieKeys,
  requireCsrfToken,
  requireSignIn,
  type SignIn,
  signalHashOf,
  storeResult,
} from './sign-in.ts'
import { findOpenAction, requireApp, signInIsOff } from './sign-in-app.ts'

export type SubmitProofServices = {
  apps: Apps
  provider: () => SignInProvider
  verification: Pick<Verification, 'verify' | 'record'>
  artifacts: Pick<ArtifactStore, 'useUp' | 'release'>
  issuer: string
  cookieKeys: CookieKeys
  rootMaxAgeSeconds: number
}

const MAX_BODY_BYTES = 32 * 1_024

/** The fields of the wallet's response (spec 2.1), which the page passes on, and the page's CSRF token. */
export const ProofInput = z.object({
  csrf: z.string(),
  proof: z.string(),
  merkle_root: z.string(),
  nullifier_hash: z.string(),
  verification_level: VerificationLevel,
})

type ProofInput = z.infer<typeof ProofInput>

/**
 * `POST /login/:uid`: verifies the proof, counts the person, and continues the sign-in.
 *
 * @returns `{ redirect_to }`
 * @throws sign_in_expired, invalid_request, permission_denied, invalid_engine, action_inactive,
 *   invalid_format, invalid_merkle_root, root_too_old, invalid_proof, proof_used, unavailable
 */
export const submitProof: Operation<SubmitProofServices, ProofInput> = {
  tag: 'Pages',
  summary: 'Sign in with a proof',
  answers: { 200: NextPage },
  errors: [
    'sign_in_expired',
    'permission_denied',
    'invalid_engine',
    'action_inactive',
    'invalid_format',
    'invalid_merkle_root',
    'root_too_old',
    'invalid_proof',
    'proof_used',
    'unavailable',
  ],
  errorPage: showErrorPage,
  maxBytes: MAX_BODY_BYTES,
  invalid: 'invalid_request',
  handle: (services) => async (input, request, response) => {
    const signIn = await requireSignIn(services, request, response)
    requireCsrfToken(services.cookieKeys, signIn.uid, input.csrf)
    const address = callerAddress(request)
    const { actionId, account } = await checkProof(services, { ...signIn, address }, input)
    const { nullifierHash } = account
    if (signIn.expectedSub !== undefined && signIn.expectedSub !== nullifierHash) {
      response.json({ redirect_to: await storeResult(signIn, OTHER_PERSON) })
      return
    }
    const { requestId } = requestContext.get(response)
    await countOnce(services, signIn, { actionId, nullifierHash, protocol: '3.0', requestId })
    response.json({ redirect_to: await grantSignIn(services, signIn, account) })
  },
}

/** The error for an `id_token_hint` of another person (OpenID Connect Core 3.1.2.1). */
const OTHER_PERSON = {
  error: 'login_required',
  error_description: 'The person who signed in is not the person of the id_token_hint.',
}

/** Verifies the proof. Returns the account of the person and the id of the sign-in action. */
async function checkProof(
  services: SubmitProofServices,
  { uid, appId, address }: SignIn & { address: string },
  input: ProofInput,
): Promise<{ actionId: string; account: Account }> {
  // The cached app may be some seconds old; the database checks the action again in `countOnce`.
  const app = requireApp(await services.apps.find(appId))
  const action = findOpenAction(app)
  if (action instanceof ApiError) throw action
  const verdict = await services.verification.verify({
    proof: input.proof,
    nullifierHash: input.nullifier_hash,
    merkleRoot: input.merkle_root,
    // Computed here and not sent by the page, so that a proof is valid only for this sign-in.
    signalHash: signalHashOf(uid),
    scope: action.scope,
    isStaging: app.is_staging,
    level: input.verification_level,
    maxAgeSeconds: services.rootMaxAgeSeconds,
    callers: [appId, address],
  })
  if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
  const { nullifierHash } = verdict
  const { verification_level: verificationLevel } = input
  const account = { appId, nullifierHash, verificationLevel, isStaging: app.is_staging }
  return { actionId: action.id, account }
}

/**
 * Uses up the sign-in, so that it accepts only one proof, then counts the person. The sign-in action has no limit: a
 * person may sign in any number of times.
 *
 * @throws proof_used, action_inactive, unavailable
 */
async function countOnce(
  { artifacts, verification }: SubmitProofServices,
  { uid }: SignIn,
  person: Person,
) {
  const artifact = { model: 'Interaction', id: uid }
  if (!(await artifacts.useUp(artifact))) throw new ApiError('proof_used')
  try {
    // `record` returns null, without counting, if the action has been switched off since `checkProof`.
    if (!(await verification.record(person))) throw signInIsOff()
  } catch (error) {
    await artifacts.release(artifact)
    throw error
  }
}

/** Grants the requested scopes to the account, and returns the URL at which the browser continues. */
async function grantSignIn(
  { provider, issuer }: SubmitProofServices,
  signIn: SignIn,
  account: Account,
): Promise<string> {
  const { library } = provider()
  const accountId = formatAccountId(account)
  const scopes = signIn.scope.split(' ').filter((name) => SCOPES.includes(name))
  const grant = new library.Grant({ accountId, clientId: account.appId })
  grant.addOIDCScope(scopes.join(' '))
  grant.addResourceScope(userinfoUrl(issuer), scopes.join(' '))
  // save() sets `jti` synchronously, so the grant and the result can be stored in one statement.
  const saving = grant.save()
  const login = { accountId, remember: false }
  const [redirectTo] = await Promise.all([
    storeResult(signIn, { login, consent: { grantId: grant.jti } }),
    saving,
  ])
  return redirectTo
}
