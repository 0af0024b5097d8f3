import { z } from 'zod'
import { formatField, parseField } from '../../lib/proof/encoding.ts'
import { scopeOfAction } from '../../lib/proof/scope.ts'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'
import { canonicalNumber } from '../route/answer-schemas.ts'
import { createProtocolError, isUsedUp, usesOf } from '../verify/requirements.ts'
import { type App, createAppFinder } from './find-app.ts'

/** A field element in any spelling. Null and the empty text count as absent. */
const OptionalField = z
  .string()
  .nullish()
  .transform((text) => (text ? parseField(text) : undefined))
  .refine((number) => number !== null, 'Must be a number below the field modulus, in hex.')

/** The fields of `GET|POST /api/v1/precheck/{app_id}` (spec 4.1), from the body or the query string. */
export const PrecheckInput = z.object({
  app_id: z.string(),
  action: z.string().default('').describe("The action's identifier; empty for sign-in"),
  nullifier_hash: OptionalField.describe(
    "The person's nullifier, in hex. `can_user_verify` depends on it",
  ),
  external_nullifier: OptionalField.describe('Deprecated: finds the action instead of `action`'),
})

const Engine = z.enum(['cloud', 'on-chain'])

/** The response (spec 2.4). */
const Precheck = z.strictObject({
  __typename: z.literal('app'),
  id: z.string(),
  engine: Engine,
  is_staging: z.boolean(),
  is_verified: z.boolean(),
  name: z.string(),
  verified_app_logo: z.string(),
  is_sign_in: z.boolean(),
  sign_in_with_world_id: z.boolean().describe('Deprecated: the former name of `is_sign_in`'),
  can_user_verify: z
    .enum(['yes', 'no', 'on-chain', 'undetermined'])
    .describe(
      '`yes` for sign-in, `on-chain` for an on-chain app; else `undetermined` without a `nullifier_hash`',
    ),
  action: z.strictObject({
    __typename: z.literal('action'),
    name: z.string(),
    action: z.string(),
    description: z.string(),
    max_verifications: z.int(),
    max_accounts_per_user: z.int(),
    external_nullifier: canonicalNumber,
    status: z.literal('active'),
  }),
})

type Answer = z.infer<typeof Precheck>
type Input = z.infer<typeof PrecheckInput>
type Action = App['actions'][number]

export type PrecheckServices = { graphql: Sdk }

/**
 * Returns the public facts of an app and an action, and whether a person may still verify for the action.
 *
 * @returns spec 2.4
 * @throws not_found, external_nullifier_mismatch, action_inactive, invalid_protocol
 */
export const precheck = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Public facts of an app and one of its actions',
    appField: 'app_id',
    output: Precheck,
    errors: [
      'not_found',
      'action_inactive',
      'invalid_protocol',
      'external_nullifier_mismatch',
      'unavailable',
    ],
    takes: ({ params }) => String(params.app_id).startsWith('app_'),
  },
  ({ graphql }: PrecheckServices) => {
    const findApp = batchCalls(createAppFinder(graphql), { maxBatch: 64, maxUnderWay: 2 })
    return async (input: Input, { requestId }: Context): Promise<Answer> => {
      const app = await findApp({ ...input, requestId })
      if (!app) throw new ApiError('not_found', { attribute: 'app_id', detail: 'No such app.' })
      const action = chooseAction(app.actions, input)
      if (action.status !== 'active') throw new ApiError('action_inactive', { attribute: 'status' })
      if (action.protocol === '4.0')
        throw createProtocolError({ accepted: '4.0', attribute: 'action' })
      const isSignIn = action.action === ''
      return {
        __typename: 'app',
        id: app.id,
        engine: Engine.parse(app.engine),
        is_staging: app.is_staging,
        is_verified: app.is_verified,
        name: app.name,
        verified_app_logo: app.is_verified ? app.logo_url : '',
        is_sign_in: isSignIn,
        sign_in_with_world_id: isSignIn,
        can_user_verify: canUserVerify(app, action, input),
        action: publicActionFacts(action),
      }
    }
  },
)

/**
 * Finds the action by the external nullifier if the request has one, else by the name. If the request has both, they must
 * belong to the same action. An empty name is the default, so it never contradicts an external nullifier.
 */
function chooseAction(candidates: readonly Action[], input: Input): Action {
  const { action, external_nullifier: external } = input
  const actionByName = candidates.find((candidate) => candidate.action === action)
  const actionByNumber = candidates.find(
    (candidate) => scopeOfAction(candidate).externalNullifier === external,
  )
  const match = external == null ? actionByName : actionByNumber
  if (external != null && action !== '' && actionByNumber !== actionByName)
    throw new ApiError('external_nullifier_mismatch', { attribute: 'external_nullifier' })
  const attribute = external == null ? 'action' : 'external_nullifier'
  if (!match) throw new ApiError('not_found', { attribute, detail: 'No such action.' })
  return match
}

function canUserVerify(
  { engine }: App,
  action: Action,
  { nullifier_hash }: Input,
): Answer['can_user_verify'] {
  if (action.action === '') return 'yes'
  if (engine === 'on-chain') return 'on-chain'
  if (nullifier_hash == null) return 'undetermined'
  const uses = usesOf(action, formatField(nullifier_hash))
  return isUsedUp(action.max_verifications, uses) ? 'no' : 'yes'
}

function publicActionFacts(action: Action): Answer['action'] {
  return {
    __typename: 'action',
    name: action.name,
    action: action.action,
    description: action.description,
    max_verifications: action.max_verifications,
    max_accounts_per_user: action.max_accounts_per_user,
    external_nullifier: formatField(scopeOfAction(action).externalNullifier),
    status: 'active',
  }
}
