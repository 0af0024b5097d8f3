import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, makeClientSecret } from '../../lib/runtime/secrets/secret.ts'
import { actingFor, idText, teamAction } from './action.ts'

/**
 * Gives an app a new secret for the sign-in provider, at the request of an owner, an admin or an API key
 * of its team; the old one stops working at once.
 *
 * @returns `{ client_secret }`; shown here and never again
 * @throws permission_denied, alike for an app that is archived, does not exist, or is another team's
 */
export const resetClientSecret = teamAction(
  z.object({ app_id: idText }),
  ({ graphql, clientSecretPeppers }) =>
    async ({ app_id }, caller) => {
      const secret = makeClientSecret()
      const secret_hash = hashSecret(clientSecretPeppers, secret)
      const { reset_client_secret: changed } = await graphql.ResetClientSecret(
        { ...actingFor(caller), app_id, secret_hash },
        caller.headers,
      )
      if (changed.length === 0) throw new ApiError('permission_denied')
      return { client_secret: secret }
    },
)
