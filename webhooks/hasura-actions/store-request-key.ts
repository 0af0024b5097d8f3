import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { actorOf, idText, teamAction } from './action.ts'

/**
 * Creates the request signing key of an app. The caller must be an owner, an admin or an API key of the team.
 *
 * @returns `{ id, address, private_key }`; the private key is returned only here, and never stored
 * @throws request_key_exists; permission_denied for an archived or unknown app, and for another team's app
 */
export const createRequestKey = storeRequestKey({ replaces: false })

/**
 * Replaces the request signing key of an app, if the app has one, and stores a new key. The caller must be an owner, an admin
 * or an API key of the team.
 *
 * @returns `{ id, address, private_key }`; the private key is returned only here, and never stored
 * @throws permission_denied for an archived or unknown app, and for another team's app
 */
export const rotateRequestKey = storeRequestKey({ replaces: true })

function storeRequestKey({ replaces }: { replaces: boolean }) {
  return teamAction(z.object({ app_id: idText }), ({ graphql }) => async ({ app_id }, caller) => {
    const private_key = generatePrivateKey()
    const address = privateKeyToAddress(private_key).toLowerCase()
    const { store_request_key: keys } = await graphql.StoreRequestKey(
      { ...actorOf(caller), app_id, address, replaces },
      caller.headers,
    )
    const [activeKey] = keys
    if (!activeKey) throw new ApiError('permission_denied')
    if (activeKey.address !== address) throw new ApiError('request_key_exists')
    return { id: activeKey.id, address, private_key }
  })
}
