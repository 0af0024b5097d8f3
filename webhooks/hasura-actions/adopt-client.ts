import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, hashToken, makeClientSecret } from '../../lib/runtime/secrets/secret.ts'
import { actingFor, idText, teamAction } from './action.ts'

/**
 * Adopts a client that registered itself into a team, at the request of an owner, an admin or an API key of the team that
 * has its registration access token, which works once. The client stays one for simulated people; beside it a production
 * client is made.
 *
 * @returns `{ client_id, client_secret }` of the production client; the secret is shown here and never again, and null for
 *   a public client, which has none
 * @throws permission_denied, alike for a wrong token, a client that was adopted, and a team that is not the caller's
 */
export const adoptClient = teamAction(
  z.object({
    team_id: idText,
    client_id: idText,
    registration_access_token: z.string().max(128, 'Must be a registration access token.'),
  }),
  ({ graphql, clientSecretPeppers }) =>
    async ({ team_id, client_id, registration_access_token: token }, caller) => {
      const secret = makeClientSecret()
      const { clients } = await graphql.AdoptClient(
        {
          ...actingFor(caller),
          team_id,
          client_id,
          token_hash: hashToken(token),
          secret_hash: hashSecret(clientSecretPeppers, secret),
        },
        caller.headers,
      )
      const [made] = clients
      if (!made) throw new ApiError('permission_denied')
      return { client_id: made.app_id, client_secret: made.is_public ? null : secret }
    },
)
