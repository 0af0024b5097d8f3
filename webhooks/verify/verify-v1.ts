import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { isStorableText } from '../../lib/hasura/storable-text.ts'
import { formatField, hashToField, parseField } from '../../proof/encoding.ts'
import { scopeOfAction } from '../../proof/scope.ts'
import type { Verification } from '../../verification/verification.ts'
import type { Sdk, VerifyV1Query } from '../generated/sdk.ts'
import { canonicalNumber } from '../route/answer-schemas.ts'
import { presentText, requiredText } from '../route/input-text.ts'
import { type Context, jsonOperation } from '../route/operation.ts'
import { announceDeprecation, type Deprecation } from './deprecation.ts'
import { returnUrl } from './return-url.ts'
import { isUsedUp } from './used-up-nullifier.ts'
import type { VerificationTokens } from './verification-token.ts'

/** Body of `POST /api/v1/verify` (spec 2.3). */
export const VerifyV1Input = z.object({
  proof: requiredText,
  nullifier_hash: requiredText,
  merkle_root: requiredText,
  action_id: requiredText,
  signal: presentText.describe('The text that the proof is bound to; may be empty'),
})

/** Spec 2.3. */
const VerifyV1Output = z.strictObject({
  success: z.literal(true),
  nullifier_hash: canonicalNumber,
  return_url: z
    .string()
    .describe("The action's URL with a verification token added; empty if it has none"),
})

type Input = z.infer<typeof VerifyV1Input>

export type VerifyV1Services = {
  graphql: Sdk
  verification: Verification
  tokens: VerificationTokens
  verifyV1: Deprecation
}

/**
 * The earlier form of verification: it counts the same people as the current one.
 *
 * @returns spec 2.3
 * @throws required, not_found, invalid_engine, already_verified, invalid_format,
 *   invalid_merkle_root, root_too_old, invalid_proof, unavailable
 */
export const verifyV1 = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify a proof, and count the person (earlier form)',
    isDeprecated: true,
    output: VerifyV1Output,
    errors: [
      'gone',
      'required',
      'not_found',
      'invalid_engine',
      'already_verified',
      'invalid_format',
      'invalid_merkle_root',
      'root_too_old',
      'invalid_proof',
      'unavailable',
    ],
    before: ({ verifyV1: deprecation }) => announceDeprecation(deprecation),
  },
  ({ graphql, verification, tokens }: VerifyV1Services) =>
    async (input: Input, { requestId, address }: Context) => {
      const headers = { 'x-request-id': requestId }
      const findAction = async () => (await graphql.VerifyV1(actionQuery(input), headers)).action
      const action = requireActiveAction(await findAction())
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
      // Before anything is counted: a person who was counted and then sees an error could not try again.
      const target = URL.parse(action.return_url)
      const sign = target && (await tokens.prepare(headers))
      const nullifier = await verification.record({
        actionId: action.id,
        nullifierHash: verdict.nullifierHash,
        requestId,
      })
      if (!nullifier) {
        // The action may have been switched off or deleted meanwhile: then that is the error.
        requireActiveAction(await findAction())
        throw new ApiError('already_verified')
      }
      const { nullifier_hash } = nullifier
      const { action_id, signal } = input
      const token = await sign?.({ action_id, nullifier_hash, signal })
      const return_url = target && token ? returnUrl(target, token) : ''
      return { success: true, nullifier_hash, return_url } as const
    },
)

/** Nullifiers are stored in their canonical spelling; one that has none was never recorded. */
function actionQuery({ action_id, nullifier_hash }: Input) {
  const nullifier = parseField(nullifier_hash)
  return {
    action_id: isStorableText(action_id) ? action_id : '',
    nullifier_hash: nullifier === null ? '' : formatField(nullifier),
  }
}

function requireActiveAction([action]: VerifyV1Query['action']) {
  if (!action)
    throw new ApiError('not_found', { attribute: 'action_id', detail: 'No such active action.' })
  if (action.engine !== 'cloud') throw new ApiError('invalid_engine', { attribute: 'engine' })
  if (isUsedUp(action.max_verifications, action.nullifiers[0]?.uses ?? 0))
    throw new ApiError('already_verified')
  return action
}
