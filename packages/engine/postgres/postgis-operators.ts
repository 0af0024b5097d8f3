import { ownValue } from '../json/own-value.ts'
import type { PgType } from './catalog.ts'
import { builtInType, comparisonType, type Family, scalarOf } from './scalars.ts'

/** A member of an operator's input object. */
export type Operand = {
  name: string
  /** The name of the type in PostgreSQL. */
  type: 'bool' | 'float4' | 'int4' | 'geometry' | 'geography'
  /** The position, from 0, among the arguments that the function takes after the column. */
  place: number
  /** The text of the default value, or null; undefined if the operand is required. */
  defaultText?: string | null
}

/**
 * An operand that is an input object: the name of its GraphQL type, and its members in the order in which Hasura reads
 * them.
 */
export type OperandObject = { typeName: string; operands: readonly Operand[] }

type FunctionOperator = {
  /** The PostGIS function. It gets the column, then the operand or the operand's members. */
  calls: string
  /** The description in GraphQL; null for none. */
  description: string | null
  /** The kind of the right operand, by the family of the column: a value of the column's type, or an input object. */
  of: Readonly<Partial<Record<Family, 'columnType' | OperandObject>>>
}

const DISTANCE = { name: 'distance', type: 'float4', place: 1 } as const

const WITHIN: OperandObject = {
  typeName: 'st_d_within_input',
  operands: [DISTANCE, { name: 'from', type: 'geometry', place: 0 }],
}

const WITHIN_ON_EARTH: OperandObject = {
  typeName: 'st_d_within_geography_input',
  operands: [
    DISTANCE,
    { name: 'from', type: 'geography', place: 0 },
    { name: 'use_spheroid', type: 'bool', place: 2, defaultText: 'true' },
  ],
}

const BAND_OF_GEOMETRY: OperandObject = {
  typeName: 'st_intersects_nband_geom_input',
  operands: [
    { name: 'nband', type: 'int4', place: 0 },
    { name: 'geommin', type: 'geometry', place: 1 },
  ],
}

const GEOMETRY_AND_BAND: OperandObject = {
  typeName: 'st_intersects_geom_nband_input',
  operands: [
    { name: 'geommin', type: 'geometry', place: 0 },
    { name: 'nband', type: 'int4', place: 1, defaultText: null },
  ],
}

/** The operators of PostGIS's types, in the order in which Hasura reads them. */
const FUNCTION_OPERATORS = {
  _st_intersects_rast: { calls: 'st_intersects', description: null, of: { raster: 'columnType' } },
  _st_intersects_nband_geom: {
    calls: 'st_intersects',
    description: null,
    of: { raster: BAND_OF_GEOMETRY },
  },
  _st_intersects_geom_nband: {
    calls: 'st_intersects',
    description: null,
    of: { raster: GEOMETRY_AND_BAND },
  },
  _st_contains: {
    calls: 'st_contains',
    description: 'does the column contain the given geometry value',
    of: { geometry: 'columnType' },
  },
  _st_crosses: {
    calls: 'st_crosses',
    description: 'does the column cross the given geometry value',
    of: { geometry: 'columnType' },
  },
  _st_equals: {
    calls: 'st_equals',
    description: 'is the column equal to given geometry value (directionality is ignored)',
    of: { geometry: 'columnType' },
  },
  _st_overlaps: {
    calls: 'st_overlaps',
    description:
      "does the column 'spatially overlap' (intersect but not completely contain) the given geometry value",
    of: { geometry: 'columnType' },
  },
  _st_touches: {
    calls: 'st_touches',
    description: 'does the column have atleast one point in common with the given geometry value',
    of: { geometry: 'columnType' },
  },
  _st_within: {
    calls: 'st_within',
    description: 'is the column contained in the given geometry value',
    of: { geometry: 'columnType' },
  },
  _st_intersects: {
    calls: 'st_intersects',
    description: 'does the column spatially intersect the given % value',
    of: { geometry: 'columnType', geography: 'columnType' },
  },
  _st_3d_intersects: {
    calls: 'st_3dintersects',
    description: 'does the column spatially intersect the given geometry value in 3D',
    of: { geometry: 'columnType' },
  },
  _st_d_within: {
    calls: 'st_dwithin',
    description: 'is the column within a given distance from the given % value',
    of: { geometry: WITHIN, geography: WITHIN_ON_EARTH },
  },
  _st_3d_d_within: {
    calls: 'st_3ddwithin',
    description: 'is the column within a given 3D distance from the given geometry value',
    of: { geometry: WITHIN },
  },
} as const satisfies Readonly<Record<string, FunctionOperator>>

/** The GraphQL name of an operator that is a PostGIS function, for example `_st_within`. */
export type FunctionOperatorName = keyof typeof FUNCTION_OPERATORS

/** Reports whether a key of a boolean expression is the name of an operator that is a PostGIS function. */
export function isFunctionOperator(name: string): name is FunctionOperatorName {
  return Object.hasOwn(FUNCTION_OPERATORS, name)
}

/** Returns the operators that a type has and that are PostGIS functions. */
export function functionOperators(type: PgType): readonly FunctionOperatorName[] {
  return Object.keys(FUNCTION_OPERATORS)
    .filter(isFunctionOperator)
    .filter((name) => rightOperand(name, type) !== null)
}

/** Returns the right operand of an operator on values of a type; null if the type does not have the operator. */
export function rightOperand(
  name: FunctionOperatorName,
  type: PgType,
): 'columnType' | OperandObject | null {
  if (type.element !== null) return null
  const { of }: FunctionOperator = FUNCTION_OPERATORS[name]
  return ownValue(of, scalarOf(type).family) ?? null
}

/** Returns, for messages, the families of the columns that have an operator. */
export function familiesWith(name: FunctionOperatorName): readonly string[] {
  return Object.keys(FUNCTION_OPERATORS[name].of)
}

/** Returns the description of an operator on columns of a type. */
export function operatorDescription(name: FunctionOperatorName, type: PgType): string | null {
  const { description }: FunctionOperator = FUNCTION_OPERATORS[name]
  return description?.replace('%', scalarOf(type).name) ?? null
}

/**
 * Returns the PostGIS function that implements an operator. The function is in the same schema as the column's type.
 */
export function operatorFunction(
  name: FunctionOperatorName,
  type: PgType,
): { schema: string; name: string } {
  return { schema: comparisonType(type).schema, name: FUNCTION_OPERATORS[name].calls }
}

/**
 * Returns the PostgreSQL type of an operand. The types `geometry` and `geography` are in the same schema as the
 * column's type.
 */
export function memberType({ type: name }: Operand, column: PgType): PgType {
  const isBuiltIn = name === 'bool' || name === 'float4' || name === 'int4'
  return isBuiltIn ? builtInType(name) : { ...comparisonType(column), name }
}
