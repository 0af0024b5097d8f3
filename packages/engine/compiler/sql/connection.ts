import { ident, joinSql, type Sql, sql } from '../../postgres/sql.ts'
import {
  type Connection,
  type EdgePart,
  type Field,
  type PageFact,
  type PagePart,
  type Predicate,
  type Rows,
  type Scalar,
  UNBOUNDED,
} from '../ir/ir.ts'
import { printDistinctOn, printPredicate, printRows, printScalar } from './expression.ts'
import { inlineObject, jsonObject, type Pair, printText } from './json-object.ts'
import { innerScope, type Scope, WHOLE_ROW } from './scope.ts'

type ConnectionInput = {
  /** Prints the fields of an edge's node. */
  printFields(fields: readonly Field[], scope: Scope): Pair[]
  /**
   * The SQL that makes a page without a selection fail, unless it has exactly one row. Null if such a page may have any
   * number of rows.
   */
  notOneRow: Sql | null
}

/** Prints a page of rows as a JSON object. */
export function printConnection(
  connection: Connection,
  scope: Scope,
  { printFields, notOneRow }: ConnectionInput,
): Sql {
  const base = innerScope(scope)
  const row = { ...base, wholeRow: sql`${base.row}.${WHOLE_ROW}` }
  const canSeek = connection.strategy.kind === 'seek'
  const page = canSeek ? seekPage(connection, scope, row) : numberedPage(connection, scope, row)
  const edges = connection.parts.flatMap((part) => (part.kind === 'edges' ? [part] : []))
  const columns = [
    sql`${printScalar({ kind: 'base64', of: connection.cursor }, row)} as ${CURSOR}`,
    ...page.columns.map((column) => sql`${row.row}.${column}`),
    ...edges.map(
      ({ parts }, i) => sql`${printEdge(parts, connection, row, printFields)} as ${edgeColumn(i)}`,
    ),
  ]
  const members = connection.parts.map((part): Pair => {
    const key = part.as
    if (part.kind === 'typename') return { key, value: printText(part.name) }
    if (part.kind === 'pageInfo') return { key, value: printPageInfo(part.parts, page) }
    return { key, value: printEdges(edgeColumn(edges.indexOf(part)), page) }
  })
  const object = jsonObject(members)
  const value =
    members.length > 0 || notOneRow === null
      ? object
      : sql`case count(*) when 1 then ${object} else (${notOneRow})::json end`
  // `group by ()` makes a single row of all rows, even if no aggregate is selected.
  return sql`(select ${value} from (select ${joinSql(columns, ', ')} from ${page.rows}) ${PAGE} group by ())`
}

const PAGE = ident('page')
const CURSOR = ident('row cursor')
const NUMBER = ident('row number')
const TOTAL = ident('row count')

function edgeColumn(place: number): Sql {
  return ident(`row edge ${place}`)
}

/** The rows of a page, printed as a source under the alias of a scope, and the SQL for the facts about the page. */
type Page = {
  rows: Sql
  /** The columns that number the rows. */
  columns: readonly Sql[]
  /** True if the rows are numbered from the end. */
  isReversed: boolean
  /** The `filter` clause with which aggregates leave out rows outside the page. */
  filter: Sql
  hasNextPage: Sql
  hasPreviousPage: Sql
}

/**
 * Reads a page from one end of the rows, or from the cursor. Reads an extra row if the caller selects whether there are
 * more rows.
 */
function seekPage(connection: Connection, scope: Scope, row: Scope): Page {
  const { rows, join: on, split, slice, parts, strategy } = connection
  const isReversed = strategy.kind === 'seek' && strategy.from === 'end'
  const readsOneMore =
    slice !== null && selectsFact(parts, isReversed ? 'hasPreviousPage' : 'hasNextPage')
  const inner = innerScope(scope)
  const pageRows: Rows = {
    ...rows,
    where: split ? { kind: 'and', operands: [rows.where, split.where] } : rows.where,
    order: isReversed ? rows.order.map(reverseOrder) : rows.order,
    limit: slice && (readsOneMore ? oneMore(slice.count) : slice.count),
  }
  const count = slice ? printScalar(slice.count, scope) : null
  const filter = readsOneMore && count ? sql` filter (where ${PAGE}.${NUMBER} <= ${count})` : sql``
  const hasRowsAhead =
    readsOneMore && count
      ? sql`coalesce(max(${PAGE}.${NUMBER}) > ${count} and ${count} > 0, false)`
      : sql`false`
  const hasRowsBehind = split
    ? sql`(count(*)${filter} > 0 and exists (${printRowsBehind(connection, split.opposite, scope)}))`
    : sql`false`
  return {
    rows: sql`(${numberRows(pageRows, on, { scope, rowScope: inner }, sql``)}) ${row.row}`,
    columns: [NUMBER],
    isReversed,
    filter,
    hasNextPage: isReversed ? hasRowsBehind : hasRowsAhead,
    hasPreviousPage: isReversed ? hasRowsAhead : hasRowsBehind,
  }
}

/** Numbers all rows, and selects the rows of the page by number. */
function numberedPage(connection: Connection, scope: Scope, row: Scope): Page {
  const { rows, join: on, split, slice } = connection
  const inner = innerScope(scope)
  const numberedRows = numberRows(
    rows,
    on,
    { scope, rowScope: inner },
    sql`, count(*) over () as ${TOTAL}`,
  )
  const where = split ? sql` where ${printPredicate(split.where, row)}` : sql``
  const direction = slice?.of === 'end' ? sql` desc` : sql``
  const limit = slice
    ? sql` order by ${row.row}.${NUMBER}${direction} limit ${printScalar(slice.count, scope)}`
    : sql``
  const [number, total] = [sql`${PAGE}.${NUMBER}`, sql`${PAGE}.${TOTAL}`]
  return {
    rows: sql`(${numberedRows}) ${row.row}${where}${limit}`,
    columns: [NUMBER, TOTAL],
    isReversed: false,
    filter: sql``,
    hasNextPage: sql`coalesce(max(${number}) < max(${total}), false)`,
    hasPreviousPage: sql`coalesce(min(${number}) > 1, false)`,
  }
}

type Scopes = { scope: Scope; rowScope: Scope }

function numberRows(rows: Rows, on: Connection['join'], scopes: Scopes, furtherColumns: Sql): Sql {
  const { row } = scopes.rowScope
  const selectedRows = sql`select ${printDistinctOn(rows, scopes.rowScope)}${row}.*, ${row} as ${WHOLE_ROW} ${printRows(rows, on, scopes)}`
  return sql`select ${row}.*, row_number() over () as ${NUMBER}${furtherColumns} from (${selectedRows}) ${row}`
}

/** Prints the rows on the other side of the cursor. */
function printRowsBehind({ rows, join: on }: Connection, opposite: Predicate, scope: Scope): Sql {
  const rowScope = innerScope(scope)
  const where = { kind: 'and', operands: [rows.where, opposite] } as const
  return sql`select ${printRows({ ...UNBOUNDED, from: rows.from, where }, on, { scope, rowScope })}`
}

function reverseOrder({ by, direction, nulls }: Rows['order'][number]): Rows['order'][number] {
  return {
    by,
    direction: direction === 'asc' ? 'desc' : 'asc',
    nulls: nulls === 'first' ? 'last' : 'first',
  }
}

function oneMore(count: Scalar): Scalar {
  if (count.kind === 'integer') return { kind: 'integer', value: count.value + 1n }
  return { kind: 'binary', operator: '+', left: count, right: { kind: 'integer', value: 1n } }
}

function selectsFact(parts: Connection['parts'], fact: PageFact): boolean {
  return parts.some(
    (part) =>
      part.kind === 'pageInfo' &&
      part.parts.some((factPart) => factPart.kind === 'fact' && factPart.fact === fact),
  )
}

function printEdge(
  parts: readonly EdgePart[],
  { cursor }: Connection,
  row: Scope,
  printFields: ConnectionInput['printFields'],
): Sql {
  const pairs = parts.map((part): Pair => {
    const key = part.as
    if (part.kind === 'typename') return { key, value: printText(part.name) }
    if (part.kind === 'node') return { key, value: inlineObject(printFields(part.fields, row)) }
    return { key, value: printScalar({ kind: 'base64', of: cursor }, row) }
  })
  return inlineObject(pairs)
}

function printEdges(column: Sql, { filter, isReversed }: Page): Sql {
  return sql`coalesce(json_agg(${PAGE}.${column}${byNumber(isReversed)})${filter}, '[]')`
}

function byNumber(isDescending: boolean): Sql {
  return sql` order by ${PAGE}.${NUMBER}${isDescending ? sql` desc` : sql``}`
}

function printPageInfo(parts: readonly PagePart[], page: Page): Sql {
  return jsonObject(
    parts.map((part) => ({
      key: part.as,
      value: part.kind === 'typename' ? printText(part.name) : printFact(part.fact, page),
    })),
  )
}

function printFact(fact: PageFact, page: Page): Sql {
  if (fact === 'hasNextPage' || fact === 'hasPreviousPage') return page[fact]
  const isDescending = (fact === 'endCursor') !== page.isReversed
  return sql`(array_agg(${PAGE}.${CURSOR}${byNumber(isDescending)})${page.filter})[1]`
}
