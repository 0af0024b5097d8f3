import type { PgType } from '../../postgres/catalog.ts'
import { comparedType, scalarOf } from '../../postgres/scalars.ts'
import { ident, type Sql, sql } from '../../postgres/sql.ts'
import type { Parameter } from '../ir/ir.ts'

/** A parameter, cast to its type, so that PostgreSQL knows how to read its text. */
export function printParameter(parameter: Parameter): Sql {
  return printTyped(sql`${parameter}`, parameter.type)
}

/**
 * The value of a type that a text stands for: by a cast, or by the function that makes such values; of an array, by that
 * function of each text in it.
 */
export function printTyped(text: Sql, type: PgType): Sql {
  const { madeBy } = scalarOf(type)
  if (madeBy === null) return sql`(${text})::${typeName(type)}`
  const { schema } = comparedType(type)
  const make = (one: Sql) => sql`${qualified(schema, madeBy)}((${one})::${typeName(TEXT)})`
  if (type.element === null) return sql`(${make(text)})::${typeName(type)}`
  const items = sql`(${text})::${typeName(TEXTS)}`
  const made = sql`array(select ${make(sql`"item"`)} from unnest(${items}) "item")`
  return sql`(case when ${items} is not null then ${made} end)::${typeName(type)}`
}

/** A type's name, quoted and with its schema. */
export function typeName({ schema, name }: PgType): Sql {
  return qualified(schema, name)
}

/** A name with its schema; where that is not known, the name alone, which PostgreSQL looks up in the search path. */
export function qualified(schema: string, name: string): Sql {
  return schema === '' ? ident(name) : ident(schema, name)
}

/** PostgreSQL's `text`, for values that the engine itself writes. */
export const TEXT: PgType = {
  schema: 'pg_catalog',
  name: 'text',
  kind: 'b',
  element: null,
  base: null,
}

/** PostgreSQL's array of `text`. */
export const TEXTS: PgType = { ...TEXT, name: '_text', element: 'text' }
