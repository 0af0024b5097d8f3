import { createPublicKey, type KeyObject } from 'node:crypto'
import type { JWTVerifyOptions } from 'jose'
import { z } from 'zod'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { parseInWords } from '../../../lib/runtime/parse-in-words.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { ConfigError } from '../config/config.ts'
import { jsonOrNull } from '../json/json-or-null.ts'
import { ownValue } from '../json/own-value.ts'
import { type VerifyByJwks, verifyByJwks } from './jwks.ts'

const Path = z.object({ path: z.string(), default: z.unknown().optional() })

const JwtSecret = z
  .object({
    type: z.string().optional(),
    key: z.string().optional(),
    jwk_url: z.url().optional(),
    claims_namespace: z.string().optional(),
    claims_namespace_path: z.string().optional(),
    claims_format: z.enum(['json', 'stringified_json']).default('json'),
    claims_map: z.record(z.string(), z.union([z.string(), z.array(z.string()), Path])).optional(),
    audience: z.union([z.string(), z.array(z.string())]).optional(),
    issuer: z.string().optional(),
    allowed_skew: z.number().int().nonnegative().default(0),
    header: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('Authorization') }),
        z.object({ type: z.literal('Cookie'), name: z.string() }),
        z.object({ type: z.literal('CustomHeader'), name: z.string() }),
      ])
      .default({ type: 'Authorization' }),
  })
  .refine((secret) => secret.key === undefined || secret.jwk_url === undefined, {
    error: 'key and jwk_url cannot both be set.',
  })
  .refine((s) => s.claims_namespace === undefined || s.claims_namespace_path === undefined, {
    error: 'claims_namespace and claims_namespace_path cannot both be set.',
  })

type JwtSecret = z.infer<typeof JwtSecret>

/** How tokens are verified and where their claims are. */
export type JwtConfig = {
  /** The required issuer; null for any. */
  issuer: string | null
  /** A key, or a function that verifies a token with the keys at a URL. */
  key: Uint8Array | KeyObject | VerifyByJwks
  verification: JWTVerifyOptions
  header: JwtSecret['header']
  claims: ClaimsLocation
}

/** Where Hasura's claims are in a token. */
export type ClaimsLocation =
  | { kind: 'map'; map: NonNullable<JwtSecret['claims_map']> }
  | { kind: 'namespace'; key: string; isStringified: boolean }
  | { kind: 'path'; path: string; isStringified: boolean }

/**
 * The values of HASURA_GRAPHQL_JWT_SECRET, a single configuration, and HASURA_GRAPHQL_JWT_SECRETS, a list of
 * configurations. Exactly one of the variables is set.
 */
export type JwtSecrets = { jwtSecret: string | null; jwtSecrets: string | null }

/**
 * Reads the value of HASURA_GRAPHQL_JWT_SECRET or HASURA_GRAPHQL_JWT_SECRETS.
 *
 * @throws ConfigError
 */
export function readJwtConfigs({ jwtSecret, jwtSecrets }: JwtSecrets, log: Log): JwtConfig[] {
  if (jwtSecrets !== null) {
    const secrets = parseSecret(MANY, z.array(JwtSecret).min(1), jwtSecrets)
    return secrets.map((secret, i) => toJwtConfig({ secret, place: `${MANY}: entry ${i}` }, log))
  }
  const secret = parseSecret(ONE, JwtSecret, requireValue(jwtSecret, 'one of the two variables'))
  return [toJwtConfig({ secret, place: ONE }, log)]
}

const ONE = 'HASURA_GRAPHQL_JWT_SECRET'
const MANY = 'HASURA_GRAPHQL_JWT_SECRETS'

/** A configuration, and its place for errors. */
type PlacedSecret = { secret: JwtSecret; place: string }

function toJwtConfig({ secret, place }: PlacedSecret, log: Log): JwtConfig {
  const { issuer, audience, allowed_skew, header } = secret
  const { key, algorithms } = jwtKey({ secret, place }, log)
  return {
    issuer: issuer ?? null,
    key,
    header,
    claims: claimsLocation(secret),
    verification: {
      clockTolerance: allowed_skew,
      ...(algorithms && { algorithms }),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    },
  }
}

/** Parses the text of a variable. The error does not quote the text, because the text contains the key. */
function parseSecret<T extends z.ZodType>(variable: string, schema: T, text: string): z.output<T> {
  const json = jsonOrNull(text)
  if (json === null)
    throw new ConfigError(`${variable} must be JSON, such as ${EXAMPLES[variable]}.`)
  const secret = parseInWords(schema, json)
  if (secret.success) return secret.data
  const faults = secret.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw new ConfigError(`${variable} is wrong. ${faults.join(' ')}`)
}

const EXAMPLE = '{"type":"RS256","key":"-----BEGIN PUBLIC KEY-----…"}'
const EXAMPLES: Readonly<Record<string, string>> = { [ONE]: EXAMPLE, [MANY]: `[${EXAMPLE}]` }

/** The algorithms of each `type`, and the minimum length of a shared secret in bytes (null for public keys). */
const KEY_TYPES: Readonly<Record<string, { algorithms: string[]; secretBytes: number | null }>> = {
  HS256: { algorithms: ['HS256'], secretBytes: 32 },
  HS384: { algorithms: ['HS384'], secretBytes: 48 },
  HS512: { algorithms: ['HS512'], secretBytes: 64 },
  RS256: { algorithms: ['RS256'], secretBytes: null },
  RS384: { algorithms: ['RS384'], secretBytes: null },
  RS512: { algorithms: ['RS512'], secretBytes: null },
  ES256: { algorithms: ['ES256'], secretBytes: null },
  ES384: { algorithms: ['ES384'], secretBytes: null },
  ES512: { algorithms: ['ES512'], secretBytes: null },
  Ed25519: { algorithms: ['EdDSA', 'Ed25519'], secretBytes: null },
}

function jwtKey({ secret: { type, key, jwk_url }, place }: PlacedSecret, log: Log) {
  if (jwk_url !== undefined) return { key: verifyByJwks(jwk_url, log), algorithms: null }
  if (key === undefined || type === undefined)
    throw new ConfigError(`${place} must have jwk_url, or key and type. Add one of them.`)
  const keyType = ownValue(KEY_TYPES, type)
  if (keyType === undefined)
    throw new ConfigError(
      `${place}: type must be one of ${Object.keys(KEY_TYPES).join(', ')}; got ${type}.`,
    )
  const { algorithms, secretBytes } = keyType
  if (secretBytes === null) return { key: readPublicKey(key, place), algorithms }
  const bytes = new TextEncoder().encode(key)
  if (bytes.length >= secretBytes) return { key: bytes, algorithms }
  throw new ConfigError(
    `${place}: the key for ${type} must have at least ${secretBytes} bytes; it has ${bytes.length}.`,
  )
}

/** Reads a public key or a certificate in PEM. */
function readPublicKey(pem: string, place: string): KeyObject {
  const key = tryPublicKey(pem)
  if (key) return key
  throw new ConfigError(
    `${place}: the key must be a public key or a certificate in PEM, which begins with -----BEGIN.`,
  )
}

/** Reads a key; null if it is invalid. The error is dropped because it may quote the key. */
function tryPublicKey(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

function claimsLocation(secret: JwtSecret): ClaimsLocation {
  const { claims_map, claims_namespace, claims_namespace_path, claims_format } = secret
  const isStringified = claims_format === 'stringified_json'
  if (claims_map) return { kind: 'map', map: claims_map }
  if (claims_namespace_path !== undefined) {
    return { kind: 'path', path: claims_namespace_path, isStringified }
  }
  return {
    kind: 'namespace',
    key: claims_namespace ?? 'https://hasura.io/jwt/claims',
    isStringified,
  }
}
