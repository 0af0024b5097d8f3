import { ownValue } from '../json/own-value.ts'
import type { PgType } from './catalog.ts'

/** The kind of JSON value that a type accepts, which decides how input is checked. */
export type Accepts =
  | 'int16'
  | 'int32'
  | 'int64'
  | 'float32'
  | 'float64'
  | 'numeric'
  | 'money'
  | 'boolean'
  | 'string'
  | 'json'
  | 'labels'

/** The group of operators that a type has besides the common ones. */
export type Family = 'plain' | 'text' | 'jsonb' | 'array' | 'ltree'

export type Scalar = {
  /** The name in GraphQL. */
  name: string
  accepts: Accepts
  family: Family
  /** Has sum, avg, `_inc`. */
  numeric: boolean
  /** Has min and max. */
  ordered: boolean
  /** Answered as a string when numbers are stringified, because a double cannot hold all of its values. */
  wide: boolean
}

/** One row per PostgreSQL type that we treat as more than a string. */
const SCALARS: Readonly<Record<string, Partial<Scalar>>> = {
  int2: { name: 'smallint', accepts: 'int16', numeric: true, ordered: true },
  int4: { name: 'Int', accepts: 'int32', numeric: true, ordered: true },
  int8: { name: 'bigint', accepts: 'int64', numeric: true, ordered: true, wide: true },
  float4: { name: 'Float', accepts: 'float32', numeric: true, ordered: true },
  float8: { name: 'float8', accepts: 'float64', numeric: true, ordered: true, wide: true },
  numeric: { name: 'numeric', accepts: 'numeric', numeric: true, ordered: true, wide: true },
  money: { name: 'money', accepts: 'money', numeric: true, ordered: true, wide: true },
  bool: { name: 'Boolean', accepts: 'boolean' },
  text: { name: 'String', family: 'text', ordered: true },
  varchar: { name: 'String', family: 'text', ordered: true },
  bpchar: { family: 'text', ordered: true },
  citext: { family: 'text', ordered: true },
  date: { ordered: true },
  timestamp: { ordered: true },
  timestamptz: { ordered: true },
  timetz: { ordered: true },
  uuid: { ordered: true },
  json: { accepts: 'json' },
  jsonb: { accepts: 'json', family: 'jsonb' },
  lquery: { ordered: true },
  ltree: { accepts: 'labels', family: 'ltree', ordered: true },
}

/** Whether it is the name of one of those types, whatever else a database has. */
export function isKnownType(name: string): boolean {
  return Object.hasOwn(SCALARS, name)
}

const DEFAULTS: Omit<Scalar, 'name'> = {
  accepts: 'string',
  family: 'plain',
  numeric: false,
  ordered: false,
  wide: false,
}

/**
 * The GraphQL scalar of a PostgreSQL type:
 * of an array, that of its elements; of a domain, that of its base type.
 */
export function scalarOf({ name, kind, element, base }: PgType): Scalar {
  const type = element ?? base?.name ?? name
  const composite: Partial<Scalar> = kind === 'c' ? { name: `${type}_scalar` } : {}
  return { ...DEFAULTS, name: type, ...ownValue(SCALARS, type), ...composite }
}

/** A type's name in SQL, which for some differs from PostgreSQL's own (`integer`, `int4`). */
export function sqlTypeName(name: string): string {
  return ownValue(SPELLED, name) ?? name
}

const SPELLED: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  bool: 'boolean',
}

/** What PostgreSQL calls a scalar, by its name in GraphQL. */
export function postgresTypeName(name: string): string {
  return ownValue(NAMES, name) ?? name
}

/** The scalars of actions: their `Float` is any number of JSON. */
const NAMES: Readonly<Record<string, string>> = {
  Int: 'int4',
  Float: 'float8',
  String: 'text',
  Boolean: 'bool',
  bigint: 'int8',
  smallint: 'int2',
}

/** A built-in type by name, where the catalogue is not at hand. */
export function builtInType(name: string): PgType {
  const array = name.startsWith('_')
  return {
    schema: 'pg_catalog',
    name,
    kind: 'b',
    element: array ? name.slice(1) : null,
    base: null,
  }
}

/** The type for comparisons: a domain's base type, because a value outside the domain may be compared, too. */
export function comparedType(type: PgType): PgType {
  return type.base ? { ...type.base, element: null, base: null } : type
}

/** The array of a type. */
export function arrayType(type: PgType): PgType {
  return { schema: type.schema, name: `_${type.name}`, kind: 'b', element: type.name, base: null }
}
