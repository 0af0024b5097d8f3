import type { Name } from '../../ir/ir.ts'

/** Returns the name of a table or function for descriptions; logical models have no schema. */
export function nameForDescription({ schema, name }: Name): string {
  return schema === 'public' || schema === '' ? name : `${schema}.${name}`
}
