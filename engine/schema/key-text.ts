import type { Name } from '../plan/ir.ts'

/** How descriptions name a table; logical models have no schema. */
export function keyText({ schema, name }: Name): string {
  return schema === 'public' || schema === '' ? name : `${schema}.${name}`
}
