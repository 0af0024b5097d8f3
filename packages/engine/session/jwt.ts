import { decodeJwt, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { hasContradictingKeys } from '../../../lib/runtime/exact-json.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { EngineError } from '../errors.ts'
import type { ClientHeaders } from './client.ts'
import { JwksUnavailable } from './jwks.ts'
import { type HasuraClaims, readHasuraClaims } from './jwt-claims.ts'
import { type JwtConfig, type JwtSecrets, readJwtConfigs } from './jwt-config.ts'
import type { Authenticate, Authentication } from './session.ts'
import {
  createAnonymousSession,
  createSession,
  pickSessionVariables,
  ROLE_VARIABLE,
} from './session-variables.ts'

/**
 * Creates an authenticator that verifies a signed token. The session's variables come only from the token. With its
 * headers, a client can only choose one of the roles that the token allows. A client without a token gets the
 * unauthorised role, if one is configured.
 *
 * @param secrets JSON; if it has several configurations, a configuration for the token's issuer is preferred
 * @throws ConfigError if the secrets are invalid
 */
export function createJwtAuthenticator(
  secrets: JwtSecrets,
  unauthorizedRole: string | null,
  log: Log,
): Authenticate {
  const configs = readJwtConfigs(secrets, log)
  return async ({ headers }) => {
    const [candidate] = configs
      .map((config) => ({ config, token: findToken(headers, config) }))
      .filter(hasToken)
      .sort((a, b) => Number(isOfIssuer(b)) - Number(isOfIssuer(a)))
    if (!candidate) return authenticateWithoutToken(headers, unauthorizedRole)
    const { token, config } = candidate
    const { payload } = await verifyToken(token, config)
    const claims = readHasuraClaims(payload, config)
    const expiresAt = payload.exp === undefined ? null : new Date(payload.exp * 1000)
    return authenticateClaims(claims, headers[ROLE_VARIABLE], expiresAt)
  }
}

type TokenCandidate = { config: JwtConfig; token: string | null }
type TokenOfConfig = { config: JwtConfig; token: string }

function hasToken(candidate: TokenCandidate): candidate is TokenOfConfig {
  return candidate.token !== null
}

/**
 * Reports whether a configuration is for any issuer, or for the issuer that the token names. The token is not verified
 * yet, so the issuer only decides which configuration verifies it.
 */
function isOfIssuer({ config: { issuer }, token }: TokenOfConfig): boolean {
  return issuer === null || issuer === claimedIssuer(token)
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function authenticateClaims(
  { defaultRole, allowedRoles, variables }: HasuraClaims,
  requestedRole: string | undefined,
  expiresAt: Date | null,
): Authentication {
  const role = requestedRole || defaultRole
  if (!allowedRoles.includes(role)) {
    throw new EngineError('access-denied', 'Your requested role is not in allowed roles', {
      status: 400,
    })
  }
  const session = createSession(role, pickSessionVariables(Object.entries(variables)), expiresAt)
  return { session, cookies: [] }
}

function authenticateWithoutToken(headers: ClientHeaders, role: string | null): Authentication {
  if (role === null) {
    throw new EngineError(
      'invalid-headers',
      `Missing 'Authorization' or 'Cookie' header in JWT authentication mode`,
    )
  }
  return {
    session: createAnonymousSession(role, pickSessionVariables(Object.entries(headers))),
    cookies: [],
  }
}

/** Returns the token in the header that the configuration names; null if the header is missing. */
function findToken(headers: ClientHeaders, { header }: JwtConfig): string | null {
  switch (header.type) {
    case 'Authorization':
      return headers.authorization === undefined ? null : bearerToken(headers.authorization)
    case 'Cookie':
      return cookieValue(headers.cookie ?? '', header.name)
    case 'CustomHeader':
      return headers[header.name.toLowerCase()] ?? null
  }
}

function bearerToken(authorization: string): string {
  const token = /^Bearer +(\S+)$/.exec(authorization.trim())?.[1]
  if (token !== undefined) return token
  throw new EngineError('invalid-headers', 'Malformed Authorization header')
}

function cookieValue(header: string, name: string): string | null {
  const pairs = header.split(';').map((pair) => pair.trim())
  const [cookie, ...duplicates] = pairs.filter((pair) => pair.startsWith(`${name}=`))
  if (duplicates.length > 0) throw new EngineError('invalid-headers', 'Multiple JWTs found')
  // A value may be in double quotes (RFC 6265, section 4.1.1).
  return cookie === undefined ? null : cookie.slice(name.length + 1).replace(/^"(.*)"$/, '$1')
}

async function verifyToken(token: string, { key, verification }: JwtConfig) {
  if (token.includes('=')) throw invalidJwt('JWSError (JSONDecodeError "Not valid base64url")')
  const result = await (typeof key === 'function'
    ? key(token, verification)
    : jwtVerify(token, key, verification)
  ).catch((cause: unknown) => {
    throw invalidJwt(jwtFaultName(cause), cause)
  })
  if (!RegisteredClaims.safeParse(result.payload).success)
    throw invalidJwt('JWTClaimsSetDecodeError')
  // If a claim occurs twice, jose uses the last value, but the issuer may have meant the other value.
  if (hasContradictingKeys(payloadText(token))) throw invalidJwt('JWTClaimsSetDecodeError')
  const latest = Date.now() / 1_000 + Number(verification.clockTolerance ?? 0)
  if ((result.payload.iat ?? 0) > latest) throw invalidJwt('JWTIssuedAtFuture')
  return result
}

function payloadText(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
}

function invalidJwt(fault: string, cause?: unknown): EngineError {
  return new EngineError('invalid-jwt', `Could not verify JWT: ${fault}`, { cause })
}

/** A text that must be a URI if it contains a colon (RFC 7519, section 2). */
const StringOrUri = z.string().refine((text) => !text.includes(':') || URL.canParse(text))

/** The types of the registered claims (RFC 7519, section 4.1), which jose does not check. */
const RegisteredClaims = z.looseObject({
  iss: StringOrUri.optional(),
  sub: StringOrUri.optional(),
  aud: z.union([StringOrUri, z.array(StringOrUri)]).optional(),
  jti: z.string().optional(),
})

/** Returns Hasura's name for the fault of a token. */
function jwtFaultName(cause: unknown): string {
  if (cause instanceof errors.JWTExpired) return 'JWTExpired'
  if (cause instanceof errors.JWTClaimValidationFailed) {
    return CLAIM_FAULTS[cause.claim] ?? 'JWTClaimsSetDecodeError'
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'JWSError JWSInvalidSignature'
  if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof JwksUnavailable)
    return 'JWSError NoUsableKeys'
  return 'JWSError (JSONDecodeError "the token is malformed")'
}

const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  aud: 'JWTNotInAudience',
  iss: 'JWTNotInIssuer',
  nbf: 'JWTNotYetValid',
}
