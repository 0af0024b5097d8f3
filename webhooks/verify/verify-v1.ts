import type { Request, Response } from 'express'
import { z } from 'zod'
import { formatField, hashToField } from '../../lib/proof/encoding.ts'
import { scopeOfAction } from '../../lib/proof/scope.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { type IdempotentRequest, oldestKeyTime } from '../../lib/runtime/web/idempotency-key.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { CountedRequestFragment, Sdk, VerifyV1Query } from '../generated/sdk.ts'
import { canonicalNumber } from '../route/answer-schemas.ts'
import { presentText, requiredText } from '../route/input-text.ts'
import { type CountedPerson, countPerson, readCountedPerson } from './counting.ts'
import { announceDeprecation, type Deprecation, nameSuccessor } from './deprecation.ts'
import { canonicalNullifier, createProtocolError, isUsedUp, usesOf } from './requirements.ts'
import { returnUrl } from './return-url.ts'
import type { SignToken, VerificationTokens } from './verification-token.ts'

/** The body of `POST /api/v1/verify` (spec 2.3). */
export const VerifyV1Input = z.object({
  proof: requiredText,
  nullifier_hash: requiredText,
  merkle_root: requiredText,
  action_id: requiredText,
  signal: presentText.describe('The signal, of which the service computes the hash; may be empty'),
})

/** The response (spec 2.3). */
const VerifyV1Output = z.strictObject({
  success: z.literal(true),
  nullifier_hash: canonicalNumber,
  return_url: z
    .string()
    .describe("The action's URL with a verification token; empty if the action has no URL"),
})

type Input = z.infer<typeof VerifyV1Input>

export type VerifyV1Services = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
  verification: Verification
  tokens: VerificationTokens
  verifyV1: Deprecation
}

/**
 * Verifies a proof in the earlier form. Shares its counts with the current form.
 *
 * @returns spec 2.3
 * @throws gone, required, not_found, invalid_engine, invalid_protocol, already_verified, invalid_format,
 *   invalid_merkle_root, root_too_old, invalid_proof, idempotency_key_reused, unavailable
 */
export const verifyV1 = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify a proof, and count the person (earlier form)',
    appField: 'action_id',
    isDeprecated: true,
    output: VerifyV1Output,
    errors: [
      'gone',
      'required',
      'not_found',
      'invalid_engine',
      'invalid_protocol',
      'already_verified',
      'invalid_format',
      'invalid_merkle_root',
      'root_too_old',
      'invalid_proof',
      'idempotency_key_reused',
      'unavailable',
    ],
    takesIdempotencyKey: true,
    before: ({ verifyV1: deprecation }) => announceDeprecation(deprecation),
  },
  (services: VerifyV1Services) => {
    const { verification, tokens } = services
    return async (input: Input, context: Context, _request: Request, response: Response) => {
      const { requestId, address, repeatable, markReplayed } = context
      const headers = { 'x-request-id': requestId }
      const candidate = await findAction(services, { input, repeatable, headers })
      if (candidate) nameSuccessor(response, successorOf(candidate, services.verifyV1))
      if (candidate?.countedRequest && repeatable) {
        const person = readCountedPerson(candidate.countedRequest, repeatable)
        markReplayed()
        return answer(input, person, await prepareNext(candidate.return_url, tokens, headers))
      }
      const action = requireActiveAction(candidate)
      const verdict = await verification.verify({
        proof: input.proof,
        nullifierHash: input.nullifier_hash,
        merkleRoot: input.merkle_root,
        signalHash: formatField(hashToField(input.signal)),
        scope: scopeOfAction(action),
        isStaging: action.is_staging ?? false,
        callers: [input.action_id, address],
      })
      if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
      // Must be done before the person is counted. If it failed afterwards, the person would be counted, but see an error.
      const next = await prepareNext(action.return_url, tokens, headers)
      const { nullifierHash } = verdict
      const person = await countPerson(
        verification,
        { actionId: action.id, nullifierHash, protocol: '3.0', requestId },
        { appId: action.app_id, maxUses: action.max_verifications, repeatable },
      )
      if (!person) {
        // If the action was deactivated or deleted in the meantime, this throws the right error.
        requireActiveAction(await findAction(services, { input, repeatable: null, headers }))
        throw new ApiError('already_verified')
      }
      if (person.isReplay) markReplayed()
      return answer(input, person, next)
    }
  },
)

type Candidate = VerifyV1Query['action'][number] & {
  isActive: boolean
  /** How often the person has done the action. */
  uses: number
  /** The request that was counted with the same idempotency key. */
  countedRequest?: CountedRequestFragment | undefined
}

type Lookup = {
  input: Input
  repeatable: IdempotentRequest | null
  headers: Record<string, string>
}

/** Returns undefined for an unknown action. Returns an inactive action only for a request with an idempotency key. */
async function findAction(
  { graphql, now }: Pick<VerifyV1Services, 'graphql' | 'now'>,
  { input, repeatable, headers }: Lookup,
): Promise<Candidate | undefined> {
  const action_id = isStorableText(input.action_id) ? input.action_id : ''
  const hash = canonicalNullifier(input.nullifier_hash)
  const search = { action_id, nullifier_hashes: [hash] }
  if (!repeatable) {
    const [action] = (await graphql.VerifyV1(search, headers)).action
    return action && { ...action, isActive: true, uses: usesOf(action, hash) }
  }
  const key = { key_hash: repeatable.keyHash, since: oldestKeyTime(now()) }
  const [action] = (await graphql.VerifyV1Again({ ...search, ...key }, headers)).action
  if (!action) return undefined
  const [countedRequest] = action.app.counted_requests
  const isActive = action.status === 'active'
  return { ...action, isActive, uses: usesOf(action, hash), countedRequest }
}

function successorOf({ app_id }: Candidate, { baseUrl }: Deprecation): string {
  return `${baseUrl}/api/v2/verify/${app_id}`
}

function requireActiveAction(action: Candidate | undefined): Candidate {
  if (!action?.isActive)
    throw new ApiError('not_found', { attribute: 'action_id', detail: 'No such active action.' })
  if (action.engine !== 'cloud') throw new ApiError('invalid_engine', { attribute: 'engine' })
  if (action.protocol === '4.0')
    throw createProtocolError({ accepted: '4.0', attribute: 'protocol_version' })
  if (isUsedUp(action.max_verifications, action.uses)) throw new ApiError('already_verified')
  return action
}

/** The URL that the verified person is sent to, and the signer of its token. Both are null for an action without a URL. */
type RedirectTarget = { target: URL | null; sign: SignToken | null }

async function prepareNext(
  url: string,
  tokens: VerificationTokens,
  headers: Record<string, string>,
): Promise<RedirectTarget> {
  const target = URL.parse(url)
  return { target, sign: target && (await tokens.prepare(headers)) }
}

/** Returns the response (spec 2.3). */
async function answer(input: Input, person: CountedPerson, { target, sign }: RedirectTarget) {
  const { nullifier_hash, token: identity } = person
  const { action_id, signal } = input
  const token = await sign?.({ action_id, nullifier_hash, signal }, identity)
  const return_url = target && token ? returnUrl(target, token) : ''
  return { success: true, nullifier_hash, return_url } as const
}
