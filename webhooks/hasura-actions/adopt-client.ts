import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, hashToken, makeClientSecret } from '../../lib/runtime/secrets/secret.ts'
import { actorOf, idText, teamAction } from './action.ts'

/**
 * Adopts a self-registered client into a team. The caller must be an owner, an admin or an API key of the team, and needs the
 * client's registration access token. The token works once. The adopted client stays a staging client. This also creates a
 * production client.
 *
 * @returns `{ client_id, client_secret }` of the production client; the secret is returned only here, and is null for a
 *   public client
 * @throws permission_denied for a wrong token, for an unknown, archived or adopted client, and for another team;
 *   quota_exceeded; team_blocked
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
          ...actorOf(caller),
          team_id,
          client_id,
          token_hash: hashToken(token),
          secret_hash: hashSecret(clientSecretPeppers, secret),
        },
        caller.headers,
      )
      const [client] = clients
      if (!client) throw new ApiError('permission_denied')
      return { client_id: client.app_id, client_secret: client.is_public ? null : secret }
    },
)
