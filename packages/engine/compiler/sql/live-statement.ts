import { compileSql, ident, joinSql, Sql, sql } from '../../postgres/sql.ts'
import type { Parameter, Shape } from '../ir/ir.ts'
import type { Stream } from '../plan/root/stream.ts'
import { printRows } from './expression.ts'
import { printText } from './json-object.ts'
import { innerScope, outermostScope, type Scope } from './scope.ts'
import { printShape } from './select.ts'
import { isParameter } from './statement.ts'
import { printParameter } from './typed.ts'

/** A statement for any number of subscribers, and the parameters to read for each subscriber. */
export type LiveStatement = {
  /**
   * The text of the statement. Its parameters are arrays: `$1` numbers the subscribers, `$2` has the values of each
   * subscriber as a JSON array of texts.
   */
  text: string
  parameters: readonly Parameter[]
  /** A statement that only reads the values of a single subscriber (`$1`…), and fails for a malformed value. */
  check: string
  /** True if the statement passes arguments of the request to functions. A function may reject its arguments. */
  givesArguments: boolean
  /** The index of a stream's cursor among the parameters; null for a live query. */
  cursor: number | null
}

/**
 * Creates a query for many subscribers at once. Its rows have `id`, `result` (the text of the whole response) and
 * `cursor`. `key` and `closes` are the text of the response before and after the field's value.
 */
export function liveStatement(
  { key, closes }: { key: string; closes: string },
  shape: Shape,
  stream: Stream | null,
): Omit<LiveStatement, 'givesArguments'> {
  const scope = outermostScope()
  // Without `coalesce`, the value would be null if there is no row, and would make the whole text null.
  const answer = sql`coalesce((${printShape(shape, scope)})::text, 'null')`
  const result = sql`${printText(`{"data":{${key}`)} || ${answer} || ${printText(`${closes}}}`)}`
  const cursor = stream ? printCursor(stream, scope) : sql`null`
  const query = sql`select "subscriber"."id", ${result} as "result", ${cursor} as "cursor" from unnest($1::int[], $2::json[]) as "subscriber" ("id", "values")`
  return bindPerSubscriber(query, stream)
}

/** Prints the last cursor value of a stream's batch, as text; null if the batch is empty. */
function printCursor({ shape, column, direction }: Stream, scope: Scope): Sql {
  const rowScope = innerScope(scope)
  const value = sql`${rowScope.row}.${ident(column.name)}`
  const batch = sql`select ${value} as "value" ${printRows(shape.rows, [], { scope, rowScope })}`
  const last = direction === 'asc' ? sql`desc` : sql`asc`
  return sql`(select "batch"."value"::text from (${batch}) "batch" order by "batch"."value" ${last} limit 1)`
}

/** Compiles the query. Each parameter becomes an item of the subscriber's array of values. */
function bindPerSubscriber(query: Sql, stream: Stream | null) {
  const parameters: Parameter[] = []
  const parts = query.parts.map((part) => {
    if (typeof part === 'string') return part
    if (!isParameter(part.value))
      throw new TypeError('a statement contains a value that is not a parameter')
    const knownIndex = parameters.indexOf(part.value)
    const index = knownIndex >= 0 ? knownIndex : parameters.push(part.value) - 1
    return `"subscriber"."values" ->> ${index}`
  })
  const cursor = stream ? parameters.indexOf(stream.cursor) : null
  const check = sql`select ${joinSql(parameters.map(printParameter), ', ')}`
  return {
    text: compileSql(new Sql(parts)).text,
    parameters,
    check: compileSql(check).text,
    cursor,
  }
}
