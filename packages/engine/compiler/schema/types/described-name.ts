import type { Name } from '../../ir/ir.ts'

/** A table's name in descriptions; logical models have no schema. */
export function describedName({ schema, name }: Name): string {
  return schema === 'public' || schema === '' ? name : `${schema}.${name}`
}
