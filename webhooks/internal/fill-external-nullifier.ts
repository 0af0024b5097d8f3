import { z } from 'zod'
import { formatField } from '../../lib/proof/encoding.ts'
import { scopeOfAction } from '../../lib/proof/scope.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'
import { Done } from '../route/answer-schemas.ts'
import { MAX_RELAYED_BYTES } from '../route/body-sizes.ts'

/** The body that Hasura's event trigger posts about a new action. */
export const NewActionInput = z.object({
  event: z.object({
    data: z.object({
      new: z.object({ id: z.string(), app_id: z.string(), action: z.string() }),
    }),
  }),
})

/**
 * Fills `action.external_nullifier`, which clients read through GraphQL. Idempotent, since an event trigger may deliver
 * an event more than once. Does nothing for a deleted action.
 *
 * @returns `{ success }`
 */
export const fillExternalNullifier = jsonOperation(
  {
    tag: 'Internal',
    summary: "Fill a new action's external nullifier",
    output: Done,
    errors: ['unavailable'],
    maxBytes: MAX_RELAYED_BYTES,
  },
  ({ graphql }: { graphql: Sdk }) =>
    async ({ event }: z.infer<typeof NewActionInput>, { requestId }: Context) => {
      const { id, ...action } = event.data.new
      const external_nullifier = formatField(scopeOfAction({ id, ...action }).externalNullifier)
      await graphql.StoreExternalNullifier(
        { id, external_nullifier },
        { 'x-request-id': requestId },
      )
      return { success: true } as const
    },
)
