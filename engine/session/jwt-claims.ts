import type { JWTPayload } from 'jose'
import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { jsonPath } from '../json/json-path.ts'
import { isRecord, member } from '../json/record.ts'
import type { ClaimsLocation, JwtConfig } from './jwt-config.ts'

/** Hasura's claims in a token. */
export type HasuraClaims = {
  defaultRole: string
  allowedRoles: readonly string[]
  variables: Readonly<Record<string, string>>
}

const ALLOWED_ROLES = 'x-hasura-allowed-roles'
const DEFAULT_ROLE = 'x-hasura-default-role'

/**
 * Finds Hasura's claims in a verified token.
 *
 * @throws jwt-missing-role-claims, jwt-invalid-claims
 */
export function readHasuraClaims(
  payload: JWTPayload,
  { claims }: Pick<JwtConfig, 'claims'>,
): HasuraClaims {
  const found = Object.entries(findClaims(payload, claims)).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  const { [ALLOWED_ROLES]: allowed, [DEFAULT_ROLE]: otherwise, ...rest } = Object.fromEntries(found)
  return {
    allowedRoles: parseClaim(z.array(z.string()), allowed, ALLOWED_ROLES),
    defaultRole: parseClaim(z.string(), otherwise, DEFAULT_ROLE),
    variables: claimVariables(rest),
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

/** The value of a mapped claim: a literal, or what is at a path in the token. */
function mappedClaim(payload: JWTPayload, from: ClaimSource): unknown {
  if (typeof from === 'string' || Array.isArray(from)) return from
  return valueAtPath(payload, from.path) ?? from.default
}

function valueAtPath(payload: JWTPayload, path: string): unknown {
  return jsonPath(path, '$').reduce<unknown>(
    (owner, key) => member(owner, Array.isArray(owner) ? Number(key) : key),
    payload,
  )
}

function namespaceClaims(
  value: unknown,
  claims: Extract<ClaimsLocation, { stringified: boolean }>,
) {
  if (value === undefined) {
    const where =
      claims.kind === 'path' ? `claims path: '${claims.path}'` : `claims key: '${claims.key}'`
    throw invalidClaims(`${where} not found`)
  }
  if (!claims.stringified) {
    if (isRecord(value)) return value
    throw invalidClaims('expecting a json object when claims_format is json')
  }
  if (typeof value !== 'string')
    throw invalidClaims('expecting a string when claims_format is stringified_json')
  const given = parseJsonOrNull(value)
  if (isRecord(given)) return given
  const where =
    claims.kind === 'path'
      ? `claims_namespace_path ${claims.path}`
      : `claims_namespace ${claims.key}`
  throw invalidClaims(`expecting stringified json at: '${where}', but found: ${value}`)
}

function invalidClaims(message: string): EngineError {
  return new EngineError('jwt-invalid-claims', message)
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function parseClaim<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  if (value === undefined) {
    throw new EngineError('jwt-missing-role-claims', `JWT claim does not contain "${name}"`)
  }
  const claim = schema.safeParse(value)
  if (claim.success) return claim.data
  const wanted = name === ALLOWED_ROLES ? 'should be a list of roles' : 'should be a string'
  throw new EngineError('jwt-invalid-claims', `invalid "${name}"; ${wanted}`)
}

function claimVariables(rest: Record<string, unknown>): Record<string, string> {
  const ours = Object.entries(rest).filter(([name]) => name.startsWith('x-hasura-'))
  const variables = z.record(z.string(), z.string()).safeParse(Object.fromEntries(ours))
  if (variables.success) return variables.data
  throw new EngineError(
    'jwt-invalid-claims',
    'invalid x-hasura-* claims: their values must be strings',
  )
}
