import type { Name } from '../../ir/ir.ts'

/** A table's name in descriptions; logical models have no schema. */
export function keyText({ schema, name }: Name): string {
  return schema === 'public' || schema === '' ? name : `${schema}.${name}`
}
