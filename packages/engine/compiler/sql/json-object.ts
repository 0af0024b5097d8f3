import { ident, joinSql, type Sql, sql } from '../../postgres/sql.ts'
import { printParameter, TEXT } from './typed.ts'

/** The alias of rows that are selected with `printColumns`. No key contains a space, so no column has this name. */
export const ROW = ident('the row')

/** A key of an object with its value. */
export type Pair = { key: string; value: Sql }

/** Prints rows as a JSON array of objects; `from` is the SQL from `from …` on. */
export function jsonArray(pairs: readonly Pair[], from: Sql, distinct: Sql): Sql {
  const row = ROW
  return sql`(select coalesce(json_agg(${rowValue(pairs)}), '[]') from (select ${distinct}${printColumns(pairs)} ${from}) ${row})`
}

/** Prints a row as a JSON object, or null; `from` selects at most one row. */
export function jsonRow(pairs: readonly Pair[], from: Sql): Sql {
  return sql`(select ${rowObject(pairs)} from (select ${printColumns(pairs)} ${from}) ${ROW})`
}

/**
 * Prints a lateral join that adds the related row, if any, to each row of the enclosing select. The JSON of the related
 * row is the column `object` of the alias `as`.
 */
export function joinedRow(pairs: readonly Pair[], from: Sql, as: Sql): Sql {
  const object = sql`${rowObject(pairs)} as ${ident('object')}`
  return sql` left join lateral (select ${object} from (select ${printColumns(pairs)} ${from}) ${ROW}) ${as} on true`
}

function rowObject(pairs: readonly Pair[]): Sql {
  return canBeColumns(pairs) ? sql`row_to_json(${ROW})` : rowValue(pairs)
}

/** Prints a subquery that returns the current row's object. An aggregate such as `json_agg` collects these objects. */
export function inlineObject(pairs: readonly Pair[]): Sql {
  if (!canBeColumns(pairs)) return concatenatedObject(pairs)
  const row = ROW
  return sql`(select ${row} from (select ${printColumns(pairs)}) ${row})`
}

/** Prints an object of values that may be aggregates. */
export function jsonObject(pairs: readonly Pair[]): Sql {
  if (pairs.length > MAX_ARGUMENT_PAIRS) return concatenatedObject(pairs)
  const items = pairs.flatMap(({ key, value }) => [printText(key), value])
  return sql`json_build_object(${joinSql(items, ', ')})`
}

/**
 * The maximum number of pairs in a call of `json_build_object`, because a function in PostgreSQL has at most 100
 * arguments.
 */
const MAX_ARGUMENT_PAIRS = 50

/** The maximum length of a name in PostgreSQL, which truncates longer names. */
const MAX_NAME_BYTES = 63

/** The maximum number of columns of a row in PostgreSQL. */
export const MAX_COLUMNS = 1664

/** Reports whether the keys can be the names of columns. An empty list cannot, because `distinct on` needs a column. */
function canBeColumns(pairs: readonly Pair[]): boolean {
  if (pairs.length === 0 || pairs.length > MAX_COLUMNS) return false
  return pairs.every(({ key }) => Buffer.byteLength(key) <= MAX_NAME_BYTES)
}

/** Prints the JSON object of a row that is selected with `printColumns`. */
export function rowValue(pairs: readonly Pair[]): Sql {
  return canBeColumns(pairs) ? ROW : sql`${ROW}.${ident('object')}`
}

/** Prints the select list of rows that become objects with these pairs; see `rowValue`. */
export function printColumns(pairs: readonly Pair[]): Sql {
  if (!canBeColumns(pairs)) return sql`${concatenatedObject(pairs)} as ${ident('object')}`
  return joinSql(
    pairs.map(({ key, value }) => sql`${value} as ${ident(key)}`),
    ', ',
  )
}

function concatenatedObject(pairs: readonly Pair[]): Sql {
  if (pairs.length === 0) return sql`'{}'::json`
  const members = pairs.map(
    ({ key, value }) =>
      sql`${printText(`${JSON.stringify(key)}:`)} || coalesce(to_json(${value})::text, 'null')`,
  )
  // Uses an array, because thousands of nested `||` would exhaust the stack of PostgreSQL's parser.
  return sql`('{' || array_to_string(array[${joinSql(members, ', ')}], ',') || '}')::json`
}

/** Prints a text of the response as a parameter. */
export function printText(text: string): Sql {
  return printParameter({ type: TEXT, read: () => text })
}
