import type { PgType } from '../../postgres/catalog.ts'
import { comparisonType, scalarOf } from '../../postgres/scalars.ts'
import { ident, type Sql, sql } from '../../postgres/sql.ts'
import type { Parameter } from '../ir/ir.ts'

/** Prints a parameter with a cast to its type, so that PostgreSQL knows how to read its text. */
export function printParameter(parameter: Parameter): Sql {
  return printTyped(sql`${parameter}`, parameter.type)
}

/**
 * Prints the conversion of a text to a type: a cast, or a call of the function that makes a value of the type from
 * text. For an array, the function converts each item.
 */
export function printTyped(text: Sql, type: PgType): Sql {
  const { inputFunction } = scalarOf(type)
  if (inputFunction === null) return sql`(${text})::${typeName(type)}`
  const { schema } = comparisonType(type)
  const make = (item: Sql) => sql`${qualified(schema, inputFunction)}((${item})::${typeName(TEXT)})`
  if (type.element === null) return sql`(${make(text)})::${typeName(type)}`
  const items = sql`(${text})::${typeName(TEXTS)}`
  const array = sql`array(select ${make(sql`"item"`)} from unnest(${items}) "item")`
  return sql`(case when ${items} is not null then ${array} end)::${typeName(type)}`
}

/** Prints the name of a type, quoted and with its schema. */
export function typeName({ schema, name }: PgType): Sql {
  return qualified(schema, name)
}

/** Prints a name with its schema. Without a known schema, PostgreSQL looks up the name in the search path. */
export function qualified(schema: string, name: string): Sql {
  return schema === '' ? ident(name) : ident(schema, name)
}

/** PostgreSQL's `text`, for values that the engine writes. */
export const TEXT: PgType = {
  schema: 'pg_catalog',
  name: 'text',
  kind: 'b',
  element: null,
  base: null,
}

export const TEXTS: PgType = { ...TEXT, name: '_text', element: 'text' }
