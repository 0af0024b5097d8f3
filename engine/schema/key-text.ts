import type { Name } from '../plan/ir.ts'

/** A table's name in descriptions; logical models have no schema. */
export function keyText({ schema, name }: Name): string {
  return schema === 'public' || schema === '' ? name : `${schema}.${name}`
}
