import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, makeClientSecret } from '../../lib/runtime/secrets/secret.ts'
import { actorOf, idText, teamAction } from './action.ts'

/**
 * Gives an app a new secret for the sign-in server. The old secret stops working at once. A public client becomes a client
 * with a secret. The caller must be an owner, an admin or an API key of the team.
 *
 * @returns `{ client_secret }`; the secret is returned only here
 * @throws permission_denied for an archived or unknown app, and for another team's app
 */
export const resetClientSecret = teamAction(
  z.object({ app_id: idText }),
  ({ graphql, clientSecretPeppers }) =>
    async ({ app_id }, caller) => {
      const secret = makeClientSecret()
      const secret_hash = hashSecret(clientSecretPeppers, secret)
      const { reset_client_secret: clients } = await graphql.ResetClientSecret(
        { ...actorOf(caller), app_id, secret_hash },
        caller.headers,
      )
      if (clients.length === 0) throw new ApiError('permission_denied')
      return { client_secret: secret }
    },
)
