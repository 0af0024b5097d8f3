import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { ProofContextQuery, Sdk } from '../generated/sdk.ts'
import { requireAppOrRpId, unknownAppError } from './app-id.ts'

/** The environments that have groups and contracts of their own. */
const Environment = z.enum(['production', 'staging'])

/** The fields of `POST /api/v4/proof-context/{id}` (spec 2.17). */
export const ProofContextInput = z.object({
  id: z.string(),
  action: z
    .string()
    .max(256)
    .optional()
    .describe("The action's identifier; absent for a session proof"),
  environment: Environment.default('production').describe('A staging app accepts both'),
})

/** The response (spec 2.17). */
const ProofContext = z.strictObject({
  app_id: z.string(),
  rp_id: z.string(),
  name: z.string(),
  is_verified: z.boolean(),
  verified_app_logo: z.string(),
  unverified_app_logo: z.string(),
  integration_url: z.string(),
  action: z
    .strictObject({ action: z.string(), description: z.string(), environment: Environment })
    .optional()
    .describe('Absent if the request names no action'),
})

type Input = z.infer<typeof ProofContextInput>
type App = ProofContextQuery['app'][number]

/**
 * Returns the public facts of an app and an action, which a wallet shows before it makes a proof of protocol 4.0. An
 * unknown action is described as if it existed, without a description.
 *
 * @returns spec 2.17
 * @throws invalid_request, not_found, action_inactive, validation_error for the environment of another app
 */
export const proofContext = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Public facts of an app and an action, for wallets of protocol 4.0',
    appField: 'id',
    output: ProofContext,
    errors: ['not_found', 'action_inactive', 'unavailable'],
  },
  ({ graphql }: { graphql: Sdk }) =>
    async (input: Input, { requestId }: Context): Promise<z.infer<typeof ProofContext>> => {
      const { action } = input
      const [app] = (
        await graphql.ProofContext(
          {
            app_or_rp_id: requireAppOrRpId(input.id, 'id'),
            actions: action && isStorableText(action) ? [action] : [],
          },
          { 'x-request-id': requestId },
        )
      ).app
      if (!app) throw unknownAppError('id')
      requireEnvironment(app, input.environment)
      const facts = factsOf(app)
      return action ? { ...facts, action: describeAction(app, action) } : facts
    },
)

/** @throws validation_error if an app for real people is asked for as a staging app */
function requireEnvironment({ is_staging }: App, environment: z.infer<typeof Environment>): void {
  if (!is_staging && environment !== 'production')
    throw new ApiError('validation_error', {
      attribute: 'environment',
      detail: `Must be production, because the app is a production app; got ${environment}.`,
    })
}

function factsOf({ id, rp_id, name, logo_url, is_verified }: App) {
  return {
    app_id: id,
    rp_id,
    name,
    is_verified,
    verified_app_logo: is_verified ? logo_url : '',
    unverified_app_logo: is_verified ? '' : logo_url,
    integration_url: '',
  }
}

/** @throws action_inactive */
function describeAction({ is_staging, actions: [known] }: App, action: string) {
  if (known && known.status !== 'active')
    throw new ApiError('action_inactive', { attribute: 'status' })
  const environment = is_staging ? 'staging' : 'production'
  return { action, description: known?.description ?? '', environment } as const
}
