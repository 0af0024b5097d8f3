import { z } from 'zod'
import { requestContext } from '../../../lib/runtime/http/request-context.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import {
  hashSecret,
  hashToken,
  makeClientSecret,
  makeToken,
  type Secrets,
} from '../../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import {
  grantTypesOf,
  RESPONSE_TYPES_OF_GRANT,
  ResponseType,
} from '../../clients/response-types.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { ClientFacts, registrationFacts, toUnixSeconds } from './registered-client.ts'

/**
 * A redirect URI: HTTPS, a host name or a dotted IPv4 address, no fragment and no user information. Other spellings
 * of a host (IPv6, hexadecimal, …) are rejected because they could mean the person's own machine. The constraints of the
 * table `redirect` have the same rules, but permit http://localhost to staging apps of a developer's database.
 */
const REDIRECT_URI =
  /^https:\/\/(([a-z0-9_-]+\.)*[a-z]([a-z0-9-]*[a-z0-9])?\.?|(?!127\.)[1-9][0-9]{0,2}(\.(0|[1-9][0-9]{0,2})){3})(:[0-9]{1,5})?([/?]([a-z0-9._~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i

/** Matches a URI with a host name that common hosts files give to the local machine. */
const LOCALHOST =
  /^https:\/\/([^/:?]*\.)?(localhost[46]?|localdomain[46]?|(ip6-)?loopback|ip6-localhost)\.?([:/?]|$)/i

/** Matches a URI with an empty query. URL parsers disagree on whether an empty query is part of the URI. */
const EMPTY_QUERY = /^[^?]*\?$/

const MAX_URI_LENGTH = 2_048
const MAX_REDIRECT_URIS = 20

/** True if a client may register this redirect URI. */
function isRedirectUri(text: string): boolean {
  return (
    text.length <= MAX_URI_LENGTH &&
    REDIRECT_URI.test(text) &&
    !LOCALHOST.test(text) &&
    !EMPTY_QUERY.test(text) &&
    URL.canParse(text)
  )
}

const GrantType = z.enum(['authorization_code', 'implicit', 'hybrid'])
const INVALID_GRANT_TYPES = 'grant_types must be authorization_code, implicit or hybrid.'

/** A response type, with its words in any order. */
const AnyResponseType = z
  .string()
  .transform((text) => [...new Set(text.split(' ').filter(Boolean))].sort().join(' '))
  .pipe(ResponseType)

const MISSING_REDIRECT_URIS = {
  error: 'redirect_uris must be a list with at least one URI.',
  params: { code: 'required' },
}
const INVALID_REDIRECT_URIS = {
  error:
    'redirect_uris must be a list of at most 20 HTTPS URIs of at most 2,048 characters, without localhost, fragments and user information.',
  params: { code: 'invalid_redirect_uri' },
}

/**
 * The body of `POST /register` (spec 4.3, RFC 7591 2). Null fields count as absent. Fields that are not listed here
 * are ignored.
 */
const RegisterFields = z.object({
  redirect_uris: z
    .unknown()
    .refine((uris) => uris !== undefined && !isEmptyList(uris), MISSING_REDIRECT_URIS)
    .refine(areRedirectUris, INVALID_REDIRECT_URIS)
    .meta({
      type: 'array',
      items: { type: 'string', format: 'uri' },
      minItems: 1,
      maxItems: MAX_REDIRECT_URIS,
    })
    .transform((uris) => [...new Set(z.array(z.string()).parse(uris))]),
  client_name: z
    .string()
    .trim()
    .regex(
      /^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u,
      'client_name must be 1 to 128 characters, one of them visible.',
    )
    .default('Unnamed client'),
  application_type: z.enum(['web', 'mobile', 'native']).default('web'),
  grant_types: z
    .union(
      [
        z
          .array(z.string())
          .transform(supportedGrants)
          .pipe(z.array(GrantType).min(1, INVALID_GRANT_TYPES)),
        GrantType,
      ],
      INVALID_GRANT_TYPES,
    )
    .default('authorization_code'),
  response_types: z
    .union(
      [z.array(AnyResponseType).min(1), commaSeparated()],
      'response_types must combine code, id_token and token; token cannot be used alone.',
    )
    .optional(),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'none'])
    .default('client_secret_basic'),
})

export const RegisterInput = z.preprocess(withoutNulls, RegisterFields)

type RegisterInput = z.infer<typeof RegisterInput>

function withoutNulls(fields: unknown): unknown {
  const entries = Object.entries(Object(fields)).filter(([, value]) => value !== null)
  return Object.fromEntries(entries)
}

/** The response (spec 2.9). Fields are text or lists, as in the request (RFC 7591 3.2.1). */
const RegisterAnswer = z.strictObject({
  ...ClientFacts.shape,
  client_secret: z
    .string()
    .optional()
    .describe('Sent only in this response; absent for public clients'),
  client_secret_expires_at: z.literal(0).optional(),
  client_id_issued_at: z.union([z.string(), z.int()]),
  grant_types: z.union([z.string(), z.array(z.string())]),
  response_types: z.union([z.string(), z.array(z.string())]),
  token_endpoint_auth_method: z.string().optional(),
})

const MAX_BODY_BYTES = 64 * 1_024

export type RegisterServices = {
  graphql: Pick<Sdk, 'RegisterClient'>
  clientSecretPeppers: Secrets
  issuer: string
}

/**
 * Registers a client: creates a team with one staging app, both named after the client. Later a team may adopt the
 * client with the registration access token (the action `claim_client`).
 *
 * @returns 201 with the fields of spec 2.9; with the types of RFC 7591 3.2.1 if the request used lists
 * @throws invalid_request, required, invalid_redirect_uri, validation_error
 */
export const registerSignInClient: Operation<RegisterServices, RegisterInput> = {
  operationId: 'registerClient',
  tag: 'Clients',
  summary: 'Register a client',
  answers: { 201: RegisterAnswer },
  errors: ['required', 'invalid_redirect_uri', 'unavailable'],
  maxBytes: MAX_BODY_BYTES,
  handle: (services) => async (input, _request, response) => {
    const { requestId } = requestContext.get(response)
    const { issued: issuedFields, registeredAt } = await storeClient(services, input, requestId)
    response
      .status(201)
      .set('cache-control', 'no-store')
      .json({ ...issuedFields, ...registeredFields(input, registeredAt) })
  },
}

/** Stores the client, and returns its id, secret and registration access token. */
async function storeClient(
  { graphql, clientSecretPeppers, issuer }: RegisterServices,
  input: RegisterInput,
  requestId: string,
) {
  const secret = input.token_endpoint_auth_method === 'none' ? null : makeClientSecret()
  const token = makeToken()
  const { register_client: rows } = await graphql.RegisterClient(
    {
      client_name: input.client_name,
      redirect_uris: input.redirect_uris,
      application_type: input.application_type,
      response_types: responseTypesOf(input),
      secret_hash: secret === null ? null : hashSecret(clientSecretPeppers, secret),
      registration_token_hash: hashToken(token),
      token_endpoint_auth_method: input.token_endpoint_auth_method,
    },
    { 'x-request-id': requestId },
  )
  const client = requireValue(rows[0], 'the registered client')
  const registeredAt = new Date(
    requireValue(client.registered_at, 'when the client was registered'),
  )
  const issuedFields = {
    client_id: client.app_id,
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    ...registrationFacts(issuer, { clientId: client.app_id, token, registeredAt }),
  }
  return { issued: issuedFields, registeredAt }
}

/** Removes unsupported grant types, as a server may (RFC 7591 2). */
function supportedGrants(entries: readonly string[]): string[] {
  return entries.filter((grant) => GrantType.safeParse(grant).success)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function areRedirectUris(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MAX_REDIRECT_URIS &&
    value.every((uri: unknown) => typeof uri === 'string' && isRedirectUri(uri))
  )
}

function commaSeparated() {
  return z
    .string()
    .transform((text) => text.split(',').filter((part) => part.trim()))
    .pipe(z.array(AnyResponseType).min(1))
    .transform((types) => ({ asText: types }))
}

/**
 * Returns the response types that a client may use. If `response_types` is a list, returns exactly its types. Otherwise
 * returns the types that the grant types imply, and the types in the string, if there is one.
 */
function responseTypesOf({ grant_types, response_types }: RegisterInput): string[] {
  if (Array.isArray(response_types)) return [...new Set(response_types)]
  const impliedTypes = [grant_types]
    .flat()
    .flatMap((grant): readonly string[] => RESPONSE_TYPES_OF_GRANT[grant])
  return [...new Set([...(response_types?.asText ?? []), ...impliedTypes])]
}

/** Returns the registered fields as lists or strings, as in the request. */
function registeredFields(input: RegisterInput, issuedAt: Date) {
  const { application_type, client_name, redirect_uris, grant_types, response_types } = input
  const commonFields = { application_type, client_name, redirect_uris }
  const types = responseTypesOf(input)
  if (Array.isArray(grant_types) || Array.isArray(response_types))
    return {
      ...commonFields,
      client_id_issued_at: toUnixSeconds(issuedAt),
      grant_types: grantTypesOf(types),
      response_types: types,
      token_endpoint_auth_method: input.token_endpoint_auth_method,
    }
  return {
    ...commonFields,
    client_id_issued_at: issuedAt.toISOString(),
    grant_types,
    response_types: (response_types?.asText ?? types).join(','),
  }
}
