import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { actorOf, idText, teamAction } from './action.ts'

/**
 * Makes an app a public client: removes its secret, which stops working at once. A public client must use PKCE. The caller must
 * be an owner, an admin or an API key of the team. `reset_client_secret` makes the app a client with a secret again.
 *
 * @returns `{ client_id }`
 * @throws permission_denied for an archived or unknown app, and for another team's app
 */
export const removeClientSecret = teamAction(
  z.object({ app_id: idText }),
  ({ graphql }) =>
    async ({ app_id }, caller) => {
      const { remove_client_secret: clients } = await graphql.RemoveClientSecret(
        { ...actorOf(caller), app_id },
        caller.headers,
      )
      if (clients.length === 0) throw new ApiError('permission_denied')
      return { client_id: app_id }
    },
)
