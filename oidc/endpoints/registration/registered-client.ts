import type { RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError } from '../../../lib/errors.ts'
import { isStorableText } from '../../../lib/hasura/storable-text.ts'
import { requestContext } from '../../../lib/http/request-context.ts'
import { present } from '../../../lib/present.ts'
import { hashToken } from '../../../lib/secrets/secret.ts'
import { grantTypesOf, ResponseType } from '../../clients/response-types.ts'
import type { RegisteredClientQuery, Sdk } from '../../generated/sdk.ts'
import { requireBearer } from '../bearer.ts'

type Services = { graphql: Pick<Sdk, 'RegisteredClient'>; issuer: string }

/**
 * `GET /register/:client_id`: what a client has registered, for whoever has its registration access token (RFC 7592 2.1).
 * The secret is not shown again, since only a hash of it is stored. Once a team has claimed the client, the token is of no
 * more use.
 *
 * @throws unauthenticated, invalid_token
 */
export function showRegisteredClient({ graphql, issuer }: Services): RequestHandler {
  return async (request, response) => {
    const token = requireBearer(request, response)
    const id = String(request.params.client_id)
    const { sign_in_client: found } = isStorableText(id)
      ? await graphql.RegisteredClient(
          { id, token_hash: hashToken(token) },
          { 'x-request-id': requestContext.get(response).requestId },
        )
      : { sign_in_client: [] }
    const [client] = found
    if (!client) throw new ApiError('invalid_token', { attribute: 'token' })
    response.set('cache-control', 'no-store').json({
      client_id: id,
      ...registeredMetadata(client),
      ...registrationAccess(issuer, id, token),
    })
  }
}

/** Where a client reads its registration, and the token for it (RFC 7592 3). */
export function registrationAccess(issuer: string, clientId: string, token: string) {
  const registration_client_uri = `${issuer}/register/${clientId}`
  return { registration_access_token: token, registration_client_uri }
}

const ResponseTypes = z.array(ResponseType)

function registeredMetadata(client: RegisteredClientQuery['sign_in_client'][number]) {
  const response_types = ResponseTypes.parse(client.response_types)
  const registeredAt = present(client.registered_at, 'when the client was registered')
  return {
    application_type: client.application_type,
    client_id_issued_at: Math.floor(Date.parse(registeredAt) / 1_000),
    client_name: client.app.name,
    redirect_uris: client.app.redirects.map((each) => each.redirect_uri),
    grant_types: grantTypesOf(response_types),
    response_types,
    token_endpoint_auth_method: client.is_public ? 'none' : 'client_secret_basic',
  }
}
