const text = { type: 'string' }
const texts = { type: 'array', items: text }
const integer = { type: 'integer' }

/** Fields of one object; those named in `optional` may be missing. */
function fields(properties: Record<string, object>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

const registered = {
  client_id: text,
  registration_access_token: {
    ...text,
    description: 'Lets a team claim the client, and its bearer read what was registered',
  },
  registration_client_uri: { type: 'string', format: 'uri' },
  environment: {
    const: 'staging',
    description:
      'Simulated people can sign in to it: a team that claims it gets a production client',
  },
  removed_if_unused_at: {
    ...integer,
    description:
      'When it is removed, unless a person has signed in with it or a team has claimed it',
  },
  application_type: { enum: ['web', 'mobile', 'native'] },
  client_name: text,
  redirect_uris: texts,
}

/** Spec 2.9, in the types that the request used: text or lists (RFC 7591 3.2.1). */
export const Registered = fields(
  {
    ...registered,
    client_secret: { ...text, description: 'Shown this once; public clients have none' },
    client_secret_expires_at: { const: 0 },
    client_id_issued_at: { type: ['string', 'integer'] },
    grant_types: { anyOf: [text, texts] },
    response_types: { anyOf: [text, texts] },
    token_endpoint_auth_method: text,
  },
  ['client_secret', 'client_secret_expires_at', 'token_endpoint_auth_method'],
)

/** RFC 7592 2.1: without the secret, of which only a hash is stored. */
export const Registration = fields({
  ...registered,
  client_id_issued_at: integer,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: text,
})

/** What a client sends to register. */
export const Register = {
  type: 'object',
  properties: {
    redirect_uris: {
      type: 'array',
      items: { type: 'string', format: 'uri' },
      minItems: 1,
      maxItems: 20,
    },
    client_name: { type: 'string', maxLength: 128 },
    application_type: { enum: ['web', 'mobile', 'native'] },
    grant_types: { anyOf: [text, texts] },
    response_types: { anyOf: [text, texts] },
    token_endpoint_auth_method: { enum: ['client_secret_basic', 'client_secret_post', 'none'] },
  },
  required: ['redirect_uris'],
}

/** Spec 2.10. */
export const Tokens = fields({
  access_token: { type: 'string', format: 'jwt' },
  token_type: { const: 'Bearer' },
  expires_in: integer,
  scope: text,
  id_token: { type: 'string', format: 'jwt' },
})

/** Spec 2.11: of a token that is valid, and of any other (RFC 7662 2.2). */
export function introspectedOf(issuer: string) {
  const active = fields({
    active: { const: true },
    client_id: text,
    exp: integer,
    sub: text,
    [`${issuer}/beta`]: Beta,
  })
  const inactive = fields({
    active: { const: false },
    code: { const: 'invalid_token' },
    detail: text,
    attribute: text,
    error: text,
    error_description: text,
  })
  return { anyOf: [active, inactive] }
}

const Beta = fields(
  {
    likely_human: { enum: ['strong', 'weak'] },
    credential_type: text,
    staging: {
      const: true,
      description: 'In tokens of a staging app: the person may be simulated',
    },
  },
  ['staging'],
)

/** Spec 2.12; one claim is named after the issuer. */
export function claimsOf(issuer: string) {
  return fields(
    {
      sub: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
      [`${issuer}/beta`]: Beta,
      email: text,
      name: text,
      given_name: text,
      family_name: text,
    },
    ['email', 'name', 'given_name', 'family_name'],
  )
}

/** RFC 7517: the public keys. */
export const Keys = fields({
  keys: {
    type: 'array',
    items: {
      type: 'object',
      properties: { kty: { const: 'RSA' }, kid: text, n: text, e: text },
      required: ['kty', 'kid', 'n', 'e'],
    },
  },
})

/** OpenID Connect Discovery 1.0 3. */
export const Discovery = {
  type: 'object',
  properties: {
    issuer: { type: 'string', format: 'uri' },
    authorization_endpoint: { type: 'string', format: 'uri' },
    token_endpoint: { type: 'string', format: 'uri' },
    userinfo_endpoint: { type: 'string', format: 'uri' },
    jwks_uri: { type: 'string', format: 'uri' },
    scopes_supported: texts,
    response_types_supported: texts,
  },
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'],
}
