import { ownValue } from '../json/own-value.ts'
import type { PgType } from './catalog.ts'

/** The kind of JSON value that a type accepts. It decides how the engine checks input. */
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
  | 'geojson'
  | 'hexadecimal'

/** A group of types that have the same operators, besides the operators that all types have. */
export type Family =
  | 'plain'
  | 'text'
  | 'jsonb'
  | 'array'
  | 'ltree'
  | 'geometry'
  | 'geography'
  | 'raster'

export type Scalar = {
  /** The name in GraphQL. */
  name: string
  accepts: Accepts
  family: Family
  /** True if columns of the type have the aggregates `sum` and `avg`, and the update operator `_inc`. */
  isNumeric: boolean
  /** True if columns of the type have the aggregates `min` and `max`. */
  isOrdered: boolean
  /**
   * True if numbers of this type are returned as strings when `stringifyNumericTypes` is set. Except for float8, a double
   * cannot hold all of them.
   */
  isWide: boolean
  /** The type to which the operator `_cast` can cast the values; null if the type has no `_cast`. */
  castsTo: string | null
  /** The function that converts the text in a request to a value; null if PostgreSQL reads the text itself. */
  inputFunction: string | null
  /** The function that converts a value to JSON for the response, with its further arguments. */
  outputFunction: { name: string; args: readonly bigint[] } | null
}

/**
 * The properties that `geometry` and `geography` share. Input and output are GeoJSON. The output has at most 15 decimal
 * digits, and the long form of the reference system (`urn:ogc:def:crs:EPSG::4326`).
 */
const SHAPE: Partial<Scalar> = {
  accepts: 'geojson',
  inputFunction: 'st_geomfromgeojson',
  outputFunction: { name: 'st_asgeojson', args: [15n, 4n] },
}

/** The properties of each PostgreSQL type that differ from DEFAULTS. A type that is not listed accepts strings. */
const SCALARS: Readonly<Record<string, Partial<Scalar>>> = {
  int2: { name: 'smallint', accepts: 'int16', isNumeric: true, isOrdered: true },
  int4: { name: 'Int', accepts: 'int32', isNumeric: true, isOrdered: true },
  int8: { name: 'bigint', accepts: 'int64', isNumeric: true, isOrdered: true, isWide: true },
  float4: { name: 'Float', accepts: 'float32', isNumeric: true, isOrdered: true },
  float8: { name: 'float8', accepts: 'float64', isNumeric: true, isOrdered: true, isWide: true },
  numeric: { name: 'numeric', accepts: 'numeric', isNumeric: true, isOrdered: true, isWide: true },
  money: { name: 'money', accepts: 'money', isNumeric: true, isOrdered: true, isWide: true },
  bool: { name: 'Boolean', accepts: 'boolean' },
  text: { name: 'String', family: 'text', isOrdered: true },
  varchar: { name: 'String', family: 'text', isOrdered: true },
  bpchar: { family: 'text', isOrdered: true },
  citext: { family: 'text', isOrdered: true },
  date: { isOrdered: true },
  timestamp: { isOrdered: true },
  timestamptz: { isOrdered: true },
  timetz: { isOrdered: true },
  uuid: { isOrdered: true },
  json: { accepts: 'json' },
  jsonb: { accepts: 'json', family: 'jsonb', castsTo: 'text' },
  lquery: { isOrdered: true },
  ltree: { accepts: 'labels', family: 'ltree', isOrdered: true },
  geometry: { ...SHAPE, family: 'geometry', castsTo: 'geography' },
  geography: { ...SHAPE, family: 'geography', castsTo: 'geometry' },
  raster: {
    accepts: 'hexadecimal',
    family: 'raster',
    isOrdered: true,
    inputFunction: 'st_rastfromhexwkb',
  },
}

/** Reports whether SCALARS has a PostgreSQL type with this name. */
export function isKnownType(name: string): boolean {
  return Object.hasOwn(SCALARS, name)
}

const DEFAULTS: Omit<Scalar, 'name'> = {
  accepts: 'string',
  family: 'plain',
  isNumeric: false,
  isOrdered: false,
  isWide: false,
  castsTo: null,
  inputFunction: null,
  outputFunction: null,
}

/**
 * Returns the GraphQL scalar of a PostgreSQL type. For an array it is the scalar of the elements, for a domain the
 * scalar of the base type. The scalar of a composite type has the suffix `_scalar`.
 */
export function scalarOf({ name, kind, element, base }: PgType): Scalar {
  const type = element ?? base?.name ?? name
  const composite: Partial<Scalar> = kind === 'c' ? { name: `${type}_scalar` } : {}
  return { ...DEFAULTS, name: type, ...ownValue(SCALARS, type), ...composite }
}

/** Returns the name of a type in SQL, which can differ from PostgreSQL's internal name (`integer`, `int4`). */
export function sqlTypeName(name: string): string {
  return ownValue(SQL_SPELLINGS, name) ?? name
}

const SQL_SPELLINGS: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  bool: 'boolean',
}

/** Returns PostgreSQL's name of a GraphQL scalar. */
export function postgresTypeName(name: string): string {
  return ownValue(NAMES, name) ?? name
}

/** PostgreSQL's names of the scalars of actions. `Float` is `float8`, but a column's `Float` is `float4`. */
const NAMES: Readonly<Record<string, string>> = {
  Int: 'int4',
  Float: 'float8',
  String: 'text',
  Boolean: 'bool',
  bigint: 'int8',
  smallint: 'int2',
}

/**
 * Returns a type by its name, without a catalogue. The schema of an extension's type is unknown and therefore empty.
 */
export function builtInType(name: string): PgType {
  const element = name.startsWith('_') ? name.slice(1) : null
  const schema = EXTENSION_TYPES.has(element ?? name) ? '' : 'pg_catalog'
  return { schema, name, kind: 'b', element, base: null }
}

const EXTENSION_TYPES: ReadonlySet<string> = new Set([
  'citext',
  'ltree',
  'lquery',
  'ltxtquery',
  'geometry',
  'geography',
  'raster',
])

/** Returns the type for comparisons: a domain's base type, because a value outside the domain may be compared too. */
export function comparisonType(type: PgType): PgType {
  return type.base ? { ...type.base, element: null, base: null } : type
}

/** Returns the type to which the operator `_cast` can cast values of a type; null if the type has no `_cast`. */
export function castTarget(type: PgType): PgType | null {
  const { castsTo } = scalarOf(type)
  if (castsTo === null || type.element !== null) return null
  return castsTo === 'text' ? builtInType(castsTo) : { ...comparisonType(type), name: castsTo }
}

export function arrayType(type: PgType): PgType {
  return { schema: type.schema, name: `_${type.name}`, kind: 'b', element: type.name, base: null }
}
