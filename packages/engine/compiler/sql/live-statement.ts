import { compileSql, ident, joinSql, Sql, sql } from '../../postgres/sql.ts'
import type { Parameter, Shape } from '../ir/ir.ts'
import type { Stream } from '../plan/root/stream.ts'
import { printRows } from './expression.ts'
import { printText } from './json-object.ts'
import { innerScope, outermostScope, type Scope } from './scope.ts'
import { printShape } from './select.ts'
import { isParameter } from './statement.ts'
import { printParameter } from './typed.ts'

/** One statement for any number of subscribers, and the values to read for each of them. */
export type LiveStatement = {
  /**
   * Its parameters are arrays:
   * `$1` numbers the subscribers, `$2` has the values of each as a JSON array of texts.
   */
  text: string
  parameters: readonly Parameter[]
  /** A statement that only reads the values of one subscriber (`$1`…), and fails if one is malformed. */
  check: string
  /** Whether arguments are passed to functions, which may refuse them. */
  givesArguments: boolean
  /** The index of the parameter that is a stream's cursor; null for a live query. */
  cursor: number | null
}

/**
 * A query for many subscribers at once: rows of `id`, `result` (the whole answer's text) and `cursor`.
 * `key` and `closes` are the answer's text before and after the field's own.
 */
export function liveStatement(
  { key, closes }: { key: string; closes: string },
  shape: Shape,
  stream: Stream | null,
): Omit<LiveStatement, 'givesArguments'> {
  const scope = outermostScope()
  // A row that is not there is null, and would make the whole text null.
  const answer = sql`coalesce((${printShape(shape, scope)})::text, 'null')`
  const result = sql`${printText(`{"data":{${key}`)} || ${answer} || ${printText(`${closes}}}`)}`
  const cursor = stream ? printCursor(stream, scope) : sql`null`
  const query = sql`select "subscriber"."id", ${result} as "result", ${cursor} as "cursor" from unnest($1::int[], $2::json[]) as "subscriber" ("id", "values")`
  return bindPerSubscriber(query, stream)
}

/** The last cursor value of a stream's batch, as text; null if the batch is empty. */
function printCursor({ shape, column, direction }: Stream, scope: Scope): Sql {
  const there = innerScope(scope)
  const value = sql`${there.row}.${ident(column.name)}`
  const batch = sql`select ${value} as "value" ${printRows(shape.rows, [], { scope, there })}`
  const last = direction === 'asc' ? sql`desc` : sql`asc`
  return sql`(select "batch"."value"::text from (${batch}) "batch" order by "batch"."value" ${last} limit 1)`
}

/** Replaces each parameter by the subscriber's value for it. */
function bindPerSubscriber(query: Sql, stream: Stream | null) {
  const parameters: Parameter[] = []
  const parts = query.parts.map((part) => {
    if (typeof part === 'string') return part
    if (!isParameter(part.value))
      throw new TypeError('a statement holds a value that is not a parameter')
    const known = parameters.indexOf(part.value)
    const index = known >= 0 ? known : parameters.push(part.value) - 1
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
