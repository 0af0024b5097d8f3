import type { JWTPayload } from 'jose'
import { z } from 'zod'
import { hasContradictingKeys } from '../../../lib/runtime/exact-json.ts'
import { EngineError } from '../errors.ts'
import { jsonOrNull } from '../json/json-or-null.ts'
import { parseJsonPath } from '../json/json-path.ts'
import { isRecord, memberAt } from '../json/record.ts'
import type { ClaimsLocation, JwtConfig } from './jwt-config.ts'

/** Hasura's claims in a token. */
export type HasuraClaims = {
  defaultRole: string
  allowedRoles: readonly string[]
  variables: Readonly<Record<string, string>>
}

const ALLOWED_ROLES = 'x-hasura-allowed-roles'
const DEFAULT_ROLE = 'x-hasura-default-role'

const RoleName = z.string().min(1)

/**
 * Finds Hasura's claims in a verified token.
 *
 * @throws jwt-missing-role-claims, jwt-invalid-claims
 */
export function readHasuraClaims(
  payload: JWTPayload,
  { claims }: Pick<JwtConfig, 'claims'>,
): HasuraClaims {
  const claimValues = new Map<string, unknown>()
  // If a claim occurs twice, in upper and in lower case, the first wins.
  for (const [name, value] of Object.entries(findClaims(payload, claims)).toReversed())
    claimValues.set(name.toLowerCase(), value)
  return {
    allowedRoles: parseClaim(z.array(RoleName), claimValues.get(ALLOWED_ROLES), ALLOWED_ROLES),
    defaultRole: parseClaim(RoleName, claimValues.get(DEFAULT_ROLE), DEFAULT_ROLE),
    variables: claimVariables(claimValues),
  }
}

function findClaims(payload: JWTPayload, claims: ClaimsLocation): Record<string, unknown> {
  switch (claims.kind) {
    case 'map':
      return Object.fromEntries(
        Object.entries(claims.map).map(([name, from]) => [name, mappedClaim(payload, from)]),
      )
    case 'namespace':
      return namespaceClaims(payload[claims.key], claims)
    case 'path':
      return namespaceClaims(valueAtPath(payload, claims.path), claims)
  }
}

type ClaimSource = Extract<ClaimsLocation, { kind: 'map' }>['map'][string]

/** Returns the value of a mapped claim: the literal in the configuration, or the value at its path in the token. */
function mappedClaim(payload: JWTPayload, source: ClaimSource): unknown {
  if (typeof source === 'string' || Array.isArray(source)) return source
  return valueAtPath(payload, source.path) ?? source.default
}

function valueAtPath(payload: JWTPayload, path: string): unknown {
  return parseJsonPath(path, '$').reduce<unknown>(
    (owner, key) => memberAt(owner, Array.isArray(owner) ? Number(key) : key),
    payload,
  )
}

function namespaceClaims(
  value: unknown,
  claims: Extract<ClaimsLocation, { isStringified: boolean }>,
) {
  if (value === undefined) {
    const where =
      claims.kind === 'path' ? `claims path: '${claims.path}'` : `claims key: '${claims.key}'`
    throw invalidClaims(`${where} not found`)
  }
  if (!claims.isStringified) {
    if (isRecord(value)) return value
    throw invalidClaims('expecting a json object when claims_format is json')
  }
  if (typeof value !== 'string')
    throw invalidClaims('expecting a string when claims_format is stringified_json')
  const parsed = jsonOrNull(value)
  // If a key occurs twice with different values, the issuer may have meant either value, so the claims are rejected.
  // The same rule applies to the token itself.
  if (isRecord(parsed) && !hasContradictingKeys(value)) return parsed
  const where =
    claims.kind === 'path'
      ? `claims_namespace_path ${claims.path}`
      : `claims_namespace ${claims.key}`
  throw invalidClaims(`expecting stringified json at: '${where}', but found: ${value}`)
}

function invalidClaims(message: string): EngineError {
  return new EngineError('jwt-invalid-claims', message)
}

function parseClaim<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  if (value === undefined) {
    throw new EngineError('jwt-missing-role-claims', `JWT claim does not contain "${name}"`)
  }
  const claim = schema.safeParse(value)
  if (claim.success) return claim.data
  const expectation = name === ALLOWED_ROLES ? 'should be a list of roles' : 'should be a string'
  throw new EngineError('jwt-invalid-claims', `invalid "${name}"; ${expectation}`)
}

function claimVariables(claims: ReadonlyMap<string, unknown>): Record<string, string> {
  const hasuraClaims = [...claims].filter(
    ([name]) => name.startsWith('x-hasura-') && name !== ALLOWED_ROLES && name !== DEFAULT_ROLE,
  )
  const variables = z.record(z.string(), z.string()).safeParse(Object.fromEntries(hasuraClaims))
  if (variables.success) return variables.data
  throw new EngineError(
    'jwt-invalid-claims',
    'invalid x-hasura-* claims: their values must be strings',
  )
}
