import { z } from 'zod'
import { createProviderOperation } from './answer-by-provider.ts'

/** The response of discovery (OpenID Connect Discovery 1.0, section 3). */
const Discovery = z.looseObject({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url(),
  jwks_uri: z.url(),
  scopes_supported: z.array(z.string()).optional(),
  response_types_supported: z.array(z.string()).optional(),
})

export const discover = createProviderOperation({
  operationId: 'discover',
  tag: 'Sign-in',
  summary: 'Discovery: every address and supported feature',
  answers: { 200: Discovery },
  errors: ['unavailable'],
})

/** The set of public keys (RFC 7517). */
const Keys = z.strictObject({
  keys: z.array(
    z.looseObject({ kty: z.literal('RSA'), kid: z.string(), n: z.string(), e: z.string() }),
  ),
})

export const readKeys = createProviderOperation({
  operationId: 'readKeys',
  tag: 'Sign-in',
  summary: 'The public keys that verify tokens',
  answers: {},
  inOtherType: { type: 'application/jwk-set+json', answers: { 200: Keys } },
  errors: ['unavailable'],
})
