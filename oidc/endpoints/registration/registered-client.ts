import { z } from 'zod'
import { isStorableText } from '../../../lib/runtime/hasura/storable-text.ts'
import { requestContext } from '../../../lib/runtime/http/request-context.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import { grantTypesOf, ResponseType } from '../../clients/response-types.ts'
import type { RegisteredClientQuery, Sdk } from '../../generated/sdk.ts'
import { refuseBearer, requireBearer } from '../bearer.ts'

/** The fields that every response about a client has. */
export const ClientFacts = z.strictObject({
  client_id: z.string(),
  registration_access_token: z
    .string()
    .describe('Lets a team adopt the client, and lets the bearer read the registration'),
  registration_client_uri: z.url(),
  environment: z
    .literal('staging')
    .describe(
      'Simulated people can sign in to this client. A team that adopts it gets a production client.',
    ),
  removed_if_unused_at: z
    .int()
    .describe(
      'The Unix time after which the client is removed unless a person has signed in with it or a team has adopted it',
    ),
  application_type: z.enum(['web', 'mobile', 'native']),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
})

export type RegisteredServices = { graphql: Pick<Sdk, 'RegisteredClient'>; issuer: string }

/** The response of RFC 7592 2.1, without the secret, because only its hash is stored. */
const Registration = z.strictObject({
  ...ClientFacts.shape,
  client_id_issued_at: z.int(),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
})

/**
 * `GET /register/:client_id`: returns the registration of a client to a caller with its registration access token
 * (RFC 7592 2.1). Once a team has adopted the client, the token is rejected.
 *
 * @throws unauthenticated, invalid_token
 */
export const showRegisteredClient: Operation<RegisteredServices, unknown> = {
  operationId: 'readClient',
  tag: 'Clients',
  summary: 'Read the registration of a client',
  security: [{ registration: [] }],
  answers: { 200: Registration },
  errors: ['unauthenticated', 'invalid_token', 'unavailable'],
  handle:
    ({ graphql, issuer }) =>
    async (_input, request, response) => {
      const id = String(request.params.client_id)
      const token = requireBearer(request, response)
      const { sign_in_client: rows } = isStorableText(id)
        ? await graphql.RegisteredClient(
            { id, token_hash: hashToken(token) },
            { 'x-request-id': requestContext.get(response).requestId },
          )
        : { sign_in_client: [] }
      const [client] = rows
      if (!client) return refuseBearer(response)
      const registeredAt = new Date(
        requireValue(client.registered_at, 'when the client was registered'),
      )
      response.set('cache-control', 'no-store').json({
        client_id: id,
        ...registeredMetadata(client, registeredAt),
        ...registrationFacts(issuer, { clientId: id, token, registeredAt }),
      })
    },
}

/**
 * Returns the fields that do not come from the client's request: the URL and token for reading the registration (RFC
 * 7592 3), the environment, and the time of removal.
 */
export function registrationFacts(
  issuer: string,
  { clientId, token, registeredAt }: { clientId: string; token: string; registeredAt: Date },
) {
  return {
    registration_access_token: token,
    registration_client_uri: `${issuer}/register/${clientId}`,
    // Simulated people can sign in to the client. A team gets a production client by adopting it (`claim_client`).
    environment: 'staging',
    removed_if_unused_at: toUnixSeconds(registeredAt) + UNUSED_SECONDS,
  }
}

/**
 * How long an unused client is kept (no sign-in, and not adopted by a team): see the database's
 * `remove_unused_clients`.
 */
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
