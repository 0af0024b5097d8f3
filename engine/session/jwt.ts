import { decodeJwt, errors, jwtVerify } from 'jose'
import { EngineError } from '../errors.ts'
import type { ClientHeaders } from '../request/client.ts'
import { claimsOf, type HasuraClaims } from './jwt-claims.ts'
import { type JwtConfig, type JwtSecrets, jwtConfigs } from './jwt-config.ts'
import type { Authenticate, Authenticated } from './session.ts'
import { ROLE, sessionOf, sessionVariables } from './session-variables.ts'

/**
 * Authentication by a signed token: the session follows from its claims; the client's headers may only choose
 * one of the allowed roles.
 *
 * @param secrets the JSON of the variables; with several, a token is verified with the one of its issuer
 * @throws ConfigError when they cannot be used
 */
export function jwt(secrets: JwtSecrets, unauthorizedRole: string | null): Authenticate {
  const configs = jwtConfigs(secrets)
  return async ({ headers }) => {
    const [found] = configs
      .map((config) => ({ config, token: tokenOf(headers, config) }))
      .filter(isThere)
      .sort((a, b) => Number(isOfIssuer(b)) - Number(isOfIssuer(a)))
    if (!found) return anonymous(headers, unauthorizedRole)
    const { token, config } = found
    const { payload } = await verified(token, config)
    const claims = claimsOf(payload, config)
    const expiresAt = payload.exp === undefined ? null : new Date(payload.exp * 1000)
    return known(claims, headers[ROLE], expiresAt)
  }
}

type Held = { config: JwtConfig; token: string | null }

function isThere(held: Held): held is { config: JwtConfig; token: string } {
  return held.token !== null
}

/**
 * Whether a configuration is for the token's issuer.
 * The token is not verified yet: this only chooses the key.
 */
function isOfIssuer({ config: { issuer }, token }: { config: JwtConfig; token: string }): boolean {
  return issuer === null || issuer === claimedIssuer(token)
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function known(
  { defaultRole, allowedRoles, variables }: HasuraClaims,
  requested: string | undefined,
  expiresAt: Date | null,
): Authenticated {
  const role = requested ?? defaultRole
  if (!allowedRoles.includes(role)) {
    throw new EngineError('access-denied', 'Your requested role is not in allowed roles', {
      status: 400,
    })
  }
  const session = sessionOf(role, sessionVariables(Object.entries(variables)), expiresAt)
  return { session, cookies: [] }
}

function anonymous(headers: ClientHeaders, role: string | null): Authenticated {
  if (role === null) {
    throw new EngineError(
      'invalid-headers',
      `Missing 'Authorization' or 'Cookie' header in JWT authentication mode`,
    )
  }
  return { session: sessionOf(role, sessionVariables(Object.entries(headers))), cookies: [] }
}

/** The token where the configuration says it is; null when nothing is there. */
function tokenOf(headers: ClientHeaders, { header }: JwtConfig): string | null {
  switch (header.type) {
    case 'Authorization':
      return headers.authorization === undefined ? null : bearer(headers.authorization)
    case 'Cookie':
      return cookie(headers.cookie ?? '', header.name)
    case 'CustomHeader':
      return headers[header.name.toLowerCase()] ?? null
  }
}

function bearer(authorization: string): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1]
  if (token !== undefined) return token
  throw new EngineError('invalid-headers', 'Malformed Authorization header')
}

function cookie(header: string, name: string): string | null {
  const pairs = header.split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${name}=`))
  return found === undefined ? null : found.slice(name.length + 1)
}

function verified(token: string, { key, verification }: JwtConfig) {
  const result =
    typeof key === 'function'
      ? jwtVerify(token, key, verification)
      : jwtVerify(token, key, verification)
  return result.catch((cause: unknown) => {
    throw new EngineError('invalid-jwt', `Could not verify JWT: ${reasonOf(cause)}`, { cause })
  })
}

/** Hasura's name for what is wrong with a token. */
function reasonOf(cause: unknown): string {
  if (cause instanceof errors.JWTExpired) return 'JWTExpired'
  if (cause instanceof errors.JWTClaimValidationFailed) {
    return CLAIMS[cause.claim] ?? 'JWTClaimsSetDecodeError'
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'JWSError JWSInvalidSignature'
  if (cause instanceof errors.JWKSNoMatchingKey) return 'JWSError NoUsableKeys'
  return 'JWSError (JSONDecodeError "the token is malformed")'
}

const CLAIMS: Readonly<Record<string, string>> = {
  aud: 'JWTNotInAudience',
  iss: 'JWTNotInIssuer',
  nbf: 'JWTNotYetValid',
}
