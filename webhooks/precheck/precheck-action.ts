import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'

/** The path of the earlier form, `GET|POST /api/v1/precheck/{id}`, with the id of an action. */
export const PrecheckActionInput = z.object({ id: z.string() })

/** The response (spec 2.5). */
const PrecheckAction = z.strictObject({
  __typename: z.literal('action'),
  id: z.string(),
  name: z.string(),
  public_description: z.string(),
  is_staging: z.boolean(),
  team: z.strictObject({
    __typename: z.literal('team'),
    app_name: z.string(),
    is_verified: z.boolean(),
    verified_app_logo: z.string(),
  }),
})

/**
 * Returns the public facts of an action, found by its id.
 *
 * @returns spec 2.5
 * @throws not_found, with status 400, as this form has always done
 */
export const precheckAction = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Public facts of an action (earlier form)',
    appField: 'id',
    output: PrecheckAction,
    errors: [{ code: 'not_found', status: 400 }, 'unavailable'],
  },
  ({ graphql }: { graphql: Sdk }) =>
    async ({ id }: z.infer<typeof PrecheckActionInput>, { requestId }: Context) => {
      const storableId = isStorableText(id) ? id : ''
      const { action: actions } = await graphql.PrecheckAction(
        { id: storableId },
        { 'x-request-id': requestId },
      )
      const [action] = actions
      if (!action)
        throw new ApiError('not_found', { status: 400, detail: 'No such active action.' })
      const { app } = action
      return {
        __typename: 'action',
        id: action.id,
        name: action.name,
        public_description: action.description,
        is_staging: action.is_staging ?? false,
        team: {
          __typename: 'team',
          app_name: app.name,
          is_verified: app.is_verified,
          verified_app_logo: app.is_verified ? app.logo_url : '',
        },
      } as const
    },
)
