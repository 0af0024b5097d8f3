import type { PgType } from '../catalog.ts'
import { scalarOf } from '../scalars.ts'

/** Aggregate functions of types that have an order. */
export const COMPARED = ['max', 'min'] as const

/** Aggregate functions of numbers. */
export const NUMERIC = [
  'avg',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'sum',
  'var_pop',
  'var_samp',
  'variance',
] as const

/** An aggregate function other than count. */
export type Fold = (typeof COMPARED)[number] | (typeof NUMERIC)[number]

/** Whether an aggregate function takes a column. */
export function foldable(
  fold: Fold,
  { type, enumType }: { type: PgType; enumType: unknown },
): boolean {
  if (enumType !== null || type.element !== null) return false
  const { numeric, ordered } = scalarOf(type)
  return COMPARED.some((name) => name === fold) ? ordered : numeric
}
