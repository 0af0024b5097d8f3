import type { JWTPayload } from 'jose'
import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { jsonPath } from '../json/json-path.ts'
import { isRecord, member } from '../json/record.ts'
import type { Claims, JwtConfig } from './jwt-config.ts'

/** Hasura's claims in a token. */
export type HasuraClaims = {
  defaultRole: string
  allowedRoles: readonly string[]
  variables: Readonly<Record<string, string>>
}

const ALLOWED = 'x-hasura-allowed-roles'
const DEFAULT = 'x-hasura-default-role'

/**
 * Finds Hasura's claims in a verified token.
 *
 * @throws jwt-missing-role-claims, jwt-invalid-claims
 */
export function claimsOf(payload: JWTPayload, { claims }: Pick<JwtConfig, 'claims'>): HasuraClaims {
  const found = Object.entries(place(payload, claims)).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  const { [ALLOWED]: allowed, [DEFAULT]: otherwise, ...rest } = Object.fromEntries(found)
  return {
    allowedRoles: read(z.array(z.string()), allowed, ALLOWED),
    defaultRole: read(z.string(), otherwise, DEFAULT),
    variables: variablesOf(rest),
  }
}

function place(payload: JWTPayload, claims: Claims): Record<string, unknown> {
  switch (claims.in) {
    case 'map':
      return Object.fromEntries(
        Object.entries(claims.map).map(([name, from]) => [name, mapped(payload, from)]),
      )
    case 'namespace':
      return object(payload[claims.key], claims)
    case 'path':
      return object(at(payload, claims.path), claims)
  }
}

type From = Extract<Claims, { in: 'map' }>['map'][string]

/** The value of a mapped claim: a literal, or what is at a path in the token. */
function mapped(payload: JWTPayload, from: From): unknown {
  if (typeof from === 'string' || Array.isArray(from)) return from
  return at(payload, from.path) ?? from.default
}

function at(payload: JWTPayload, path: string): unknown {
  return jsonPath(path, '$').reduce<unknown>(
    (owner, key) => member(owner, Array.isArray(owner) ? Number(key) : key),
    payload,
  )
}

function object(value: unknown, claims: Extract<Claims, { stringified: boolean }>) {
  if (value === undefined) {
    const where =
      claims.in === 'path' ? `claims path: '${claims.path}'` : `claims key: '${claims.key}'`
    throw invalid(`${where} not found`)
  }
  if (!claims.stringified) {
    if (isRecord(value)) return value
    throw invalid('expecting a json object when claims_format is json')
  }
  if (typeof value !== 'string')
    throw invalid('expecting a string when claims_format is stringified_json')
  const given = parsed(value)
  if (isRecord(given)) return given
  const where =
    claims.in === 'path' ? `claims_namespace_path ${claims.path}` : `claims_namespace ${claims.key}`
  throw invalid(`expecting stringified json at: '${where}', but found: ${value}`)
}

function invalid(message: string): EngineError {
  return new EngineError('jwt-invalid-claims', message)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function read<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  if (value === undefined) {
    throw new EngineError('jwt-missing-role-claims', `JWT claim does not contain "${name}"`)
  }
  const claim = schema.safeParse(value)
  if (claim.success) return claim.data
  const wanted = name === ALLOWED ? 'should be a list of roles' : 'should be a string'
  throw new EngineError('jwt-invalid-claims', `invalid "${name}"; ${wanted}`)
}

function variablesOf(rest: Record<string, unknown>): Record<string, string> {
  const ours = Object.entries(rest).filter(([name]) => name.startsWith('x-hasura-'))
  const variables = z.record(z.string(), z.string()).safeParse(Object.fromEntries(ours))
  if (variables.success) return variables.data
  throw new EngineError(
    'jwt-invalid-claims',
    'invalid x-hasura-* claims: their values must be strings',
  )
}
