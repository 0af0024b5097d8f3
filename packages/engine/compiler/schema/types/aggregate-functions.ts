import type { PgType } from '../../../postgres/catalog.ts'
import { scalarOf } from '../../../postgres/scalars.ts'

/** The aggregate functions of types with an order. */
export const ORDERED_AGGREGATES = ['max', 'min'] as const

/** The aggregate functions of numbers. */
export const NUMERIC_AGGREGATES = [
  'avg',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'sum',
  'var_pop',
  'var_samp',
  'variance',
] as const

export type AggregateFunction =
  | (typeof ORDERED_AGGREGATES)[number]
  | (typeof NUMERIC_AGGREGATES)[number]

/** Reports whether an aggregate function accepts a column. */
export function canAggregate(
  aggregate: AggregateFunction,
  { type, enumType }: { type: PgType; enumType: unknown },
): boolean {
  if (enumType !== null) return false
  const { isNumeric, isOrdered } = scalarOf(type)
  if (!ORDERED_AGGREGATES.some((name) => name === aggregate))
    return isNumeric && type.element === null
  return isOrdered || type.element !== null || ORDERED_KINDS.has(type.kind)
}

/** The kinds of types with an order: native enums (by their values) and composite types (by their members). */
const ORDERED_KINDS: ReadonlySet<string> = new Set(['e', 'c'])

/**
 * The aggregate functions that conditions can use, besides `count`. `of` is the type of the columns that a function
 * gets, and of the operands that its result is compared with; `takes` is the number of columns.
 */
export const PREDICATE_AGGREGATES = {
  avg: { of: 'float8', takes: 'one' },
  bool_and: { of: 'bool', takes: 'one' },
  bool_or: { of: 'bool', takes: 'one' },
  corr: { of: 'float8', takes: 'pair' },
  covar_samp: { of: 'float8', takes: 'pair' },
  max: { of: 'float8', takes: 'one' },
  min: { of: 'float8', takes: 'one' },
  stddev_samp: { of: 'float8', takes: 'one' },
  sum: { of: 'float8', takes: 'one' },
  var_samp: { of: 'float8', takes: 'one' },
} as const satisfies Readonly<Record<string, { of: string; takes: 'one' | 'pair' }>>
