import { z } from 'zod'
import { parseRpId } from '../../lib/proof/protocol-4/rp-id.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { RpStatusQuery, Sdk } from '../generated/sdk.ts'

/** The path of `GET /api/v4/rp-status/{rp_id}`. */
export const RpStatusInput = z.object({
  rp_id: z
    .string()
    .refine((text) => parseRpId(text) !== null, 'Must be rp_ and 16 hex digits: an app has one.')
    .toLowerCase(),
})

const Status = z.enum(['registered', 'pending', 'deactivated'])

/** The response (spec 2.18). */
const RpStatus = z.strictObject({
  production_status: Status,
  staging_status: Status.nullable().describe('Null for a production app'),
  signer_address: z
    .string()
    .nullable()
    .describe('The address of the request signing key; null without a key'),
})

/**
 * Returns the state of an app as a relying party: `pending` until the app has a request signing key, and `deactivated` if
 * the app is inactive or archived. A staging app is registered in both environments, because it accepts both.
 *
 * @returns spec 2.18
 * @throws invalid_request, not_found
 */
export const rpStatus = jsonOperation(
  {
    tag: 'Verification',
    summary: 'The state of a relying party of protocol 4.0',
    output: RpStatus,
    errors: ['not_found', 'unavailable'],
    invalid: 'invalid_request',
  },
  ({ graphql }: { graphql: Sdk }) =>
    async ({ rp_id }: z.infer<typeof RpStatusInput>, { requestId }: Context) => {
      const [app] = (await graphql.RpStatus({ rp_id }, { 'x-request-id': requestId })).app
      if (!app)
        throw new ApiError('not_found', { attribute: 'rp_id', detail: 'No app has this rp id.' })
      const status = relyingPartyStatus(app)
      return {
        production_status: status,
        staging_status: app.is_staging ? status : null,
        signer_address: app.request_keys[0]?.address ?? null,
      }
    },
)

function relyingPartyStatus({
  status,
  is_archived,
  request_keys,
}: RpStatusQuery['app'][number]): z.infer<typeof Status> {
  if (status !== 'active' || is_archived) return 'deactivated'
  return request_keys.length > 0 ? 'registered' : 'pending'
}
