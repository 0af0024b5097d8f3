import { requestContext } from '../../lib/runtime/http/request-context.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import { Done } from '../route/answer-schemas.ts'

export type RefreshAddressesServices = { verification: Verification }

/**
 * Asks the name service for the addresses of the groups' contracts, and stores them for all instances. Stores nothing if
 * one address is missing.
 *
 * @returns `{ success }`; 500 `{ success, error }` if an address is missing
 */
export const refreshAddresses: Operation<RefreshAddressesServices, unknown> = {
  tag: 'Internal',
  summary: "Look up the addresses of the groups' contracts again",
  answers: { 200: Done },
  errors: ['unavailable'],
  handle:
    ({ verification }) =>
    async (_input, _request, response) => {
      const unknown = await verification.addresses.refresh()
      if (unknown.length === 0) return void response.json({ success: true })
      requestContext.get(response).log.error({ unknown }, 'names without an address')
      const error = `No address was found for ${unknown.join(' and ')}.`
      response.status(500).json({ success: false, error })
    },
}
