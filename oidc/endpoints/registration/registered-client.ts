import { z } from 'zod'
import { isStorableText } from '../../../lib/runtime/hasura/storable-text.ts'
import { requestContext } from '../../../lib/runtime/http/request-context.ts'
import { present } from '../../../lib/runtime/present.ts'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import { grantTypesOf, ResponseType } from '../../clients/response-types.ts'
import type { RegisteredClientQuery, Sdk } from '../../generated/sdk.ts'
import { refuseBearer, requireBearer } from '../bearer.ts'

/** What every answer about a client has. */
export const RegisteredFacts = z.strictObject({
  client_id: z.string(),
  registration_access_token: z
    .string()
    .describe('Lets a team adopt the client, and its bearer read what was registered'),
  registration_client_uri: z.url(),
  environment: z
    .literal('staging')
    .describe('Simulated people can sign in to it: a team that adopts it gets a production client'),
  removed_if_unused_at: z
    .int()
    .describe('When it is removed, unless a person has signed in with it or a team has adopted it'),
  application_type: z.enum(['web', 'mobile', 'native']),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
})

export type RegisteredServices = { graphql: Pick<Sdk, 'RegisteredClient'>; issuer: string }

/** RFC 7592 2.1: without the secret, of which only a hash is stored. */
const Registration = z.strictObject({
  ...RegisteredFacts.shape,
  client_id_issued_at: z.int(),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
})

/**
 * `GET /register/:client_id`: what a client has registered, for a caller with its registration access token (RFC 7592 2.1).
 * The secret is not shown again, since only a hash of it is stored. Once a team has adopted the client, the token is of no
 * more use.
 *
 * @throws unauthenticated, invalid_token
 */
export const showRegisteredClient: Operation<RegisteredServices, unknown> = {
  operationId: 'readClient',
  tag: 'Clients',
  summary: 'What a client has registered',
  security: [{ registration: [] }],
  answers: { 200: Registration },
  errors: ['unauthenticated', 'invalid_token', 'unavailable'],
  handle:
    ({ graphql, issuer }) =>
    async (_input, request, response) => {
      const id = String(request.params.client_id)
      const token = requireBearer(request, response)
      const { sign_in_client: found } = isStorableText(id)
        ? await graphql.RegisteredClient(
            { id, token_hash: hashToken(token) },
            { 'x-request-id': requestContext.get(response).requestId },
          )
        : { sign_in_client: [] }
      const [client] = found
      if (!client) return refuseBearer(response)
      const registeredAt = new Date(present(client.registered_at, 'when the client was registered'))
      response.set('cache-control', 'no-store').json({
        client_id: id,
        ...registeredMetadata(client, registeredAt),
        ...registrationFacts(issuer, { clientId: id, token, registeredAt }),
      })
    },
}

/** What every registered client is told besides its metadata: where it reads them (RFC 7592 3), and what becomes of it. */
export function registrationFacts(
  issuer: string,
  { clientId, token, registeredAt }: { clientId: string; token: string; registeredAt: Date },
) {
  return {
    registration_access_token: token,
    registration_client_uri: `${issuer}/register/${clientId}`,
    // Simulated people can sign in to it. For real people its team gets a production client (`claim_client`).
    environment: 'staging',
    removed_if_unused_at: toUnixSeconds(registeredAt) + UNUSED_SECONDS,
  }
}

/** How long a client stays with which nobody signs in and which no team adopts: see `remove_unused_clients` of the database. */
const UNUSED_SECONDS = 30 * 24 * 3_600

export function toUnixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}

const ResponseTypes = z.array(ResponseType)

type StoredClient = RegisteredClientQuery['sign_in_client'][number]

function registeredMetadata(client: StoredClient, registeredAt: Date) {
  const response_types = ResponseTypes.parse(client.response_types)
  return {
    application_type: client.application_type,
    client_id_issued_at: toUnixSeconds(registeredAt),
    client_name: client.app.name,
    redirect_uris: client.app.redirects.map((each) => each.redirect_uri),
    grant_types: grantTypesOf(response_types),
    response_types,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
  }
}
