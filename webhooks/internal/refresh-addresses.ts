import type { RequestHandler } from 'express'
import type { Verification } from '../../verification/verification.ts'

export type RefreshAddressesServices = { verification: Verification }

/**
 * Asks the name service for the groups' contracts again, and keeps what it says for all instances.
 *
 * @returns `{ success }`; 500 `{ success, error }` when a name has no address, and then nothing changes
 */
export function refreshAddresses({ verification }: RefreshAddressesServices): RequestHandler {
  return async (_request, response) => {
    const unknown = await verification.addresses.refresh()
    if (unknown.length === 0) return void response.json({ success: true })
    response.locals.context.log.error({ unknown }, 'names without an address')
    const error = `No address was found for ${unknown.join(' and ')}.`
    response.status(500).json({ success: false, error })
  }
}
