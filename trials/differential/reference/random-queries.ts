import fc from 'fast-check'
import {
  type Expression,
  linkOf,
  type Operand,
  type Permission,
  type Row,
  type Selection,
  type TableName,
  type TableQuery,
  type World,
} from './reference.ts'

/** A query of a table, for the reference and for the engine. */
export type RootQuery = {
  table: TableName
  tableQuery: TableQuery
  aggregate: boolean
  asVariable: boolean
}

/** Few numbers and texts, so that conditions often match rows. */
export const NUMBERS = fc.integer({ min: 0, max: 4 })
export const TEXTS = fc.constantFrom('x', 'y', "z'; drop table a; --")

function rowsOf(key: string | null, parents: number): fc.Arbitrary<Row[]> {
  const row = fc.record({
    n: fc.option(NUMBERS),
    t: fc.option(TEXTS),
    ...(key && { [key]: fc.option(fc.integer({ min: 0, max: parents }), { freq: 8 }) }),
  })
  return fc
    .array(row, { minLength: 2, maxLength: 7 })
    .map((rows) => rows.map((values, id): Row => ({ ...values, id })))
}

/** Generates rows, a role's permissions on them, and a caller's session number. */
export function worlds(): fc.Arbitrary<World> {
  return fc
    .record({
      a: rowsOf(null, 0),
      b: rowsOf('a_id', 3),
      c: rowsOf('b_id', 3),
      pa: permissionOn('a'),
      pb: permissionOn('b'),
      pc: permissionOn('c'),
      session: NUMBERS,
    })
    .map(({ a, b, c, pa, pb, pc, session }) => ({
      rows: { a, b: withExistingKeys(b, 'a_id', a), c: withExistingKeys(c, 'b_id', b) },
      permissions: { a: pa, b: pb, c: pc },
      session,
    }))
}

/** Generates worlds where the role may read and compare all columns. */
export function openWorlds(): fc.Arbitrary<World> {
  const all = { columns: ['id', 'n', 't'], limit: null, aggregations: true }
  const anything: Expression = { kind: 'and', parts: [] }
  return worlds().map((world) => {
    const { a, b, c } = world.permissions
    return {
      ...world,
      permissions: {
        a: { ...all, filter: a?.filter ?? anything },
        b: { ...all, filter: b?.filter ?? anything },
        c: { ...all, filter: c?.filter ?? anything },
      },
    }
  })
}

/** Replaces foreign keys to missing rows by null, because the database would reject them. */
function withExistingKeys(rows: readonly Row[], key: string, parents: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    [key]: parents.some(({ id }) => id === row[key]) ? (row[key] ?? null) : null,
  }))
}

function permissionOn(table: TableName): fc.Arbitrary<Permission | null> {
  const permission = fc.record({
    // Usually all columns, because a rejected query proves less.
    columns: fc.oneof(
      { weight: 5, arbitrary: fc.constant(['id', 'n', 't']) },
      { weight: 1, arbitrary: fc.subarray(['n', 't']).map((columns) => ['id', ...columns]) },
    ),
    filter: expressions(table, 2, true),
    limit: fc.option(fc.integer({ min: 0, max: 4 })),
    aggregations: fc.boolean(),
  })
  return fc.option(permission, { freq: 15 })
}

/** Generates conditions on rows of a table, nested up to a depth. Conditions of permissions may use the session variable. */
export function expressions(
  table: TableName,
  depth: number,
  inPermission: boolean,
): fc.Arbitrary<Expression> {
  const number = inPermission ? fc.oneof(NUMBERS, fc.constant<Operand>('session')) : NUMBERS
  const compare = fc.oneof(
    comparison(fc.constantFrom('_eq', '_neq', '_gt', '_lt', '_gte', '_lte'), 'n', number),
    comparison(fc.constantFrom('_eq', '_neq'), 't', TEXTS),
    comparison(fc.constantFrom('_in', '_nin'), 'n', fc.array(NUMBERS, { maxLength: 3 })),
    comparison(fc.constantFrom('_in', '_nin'), 't', fc.array(TEXTS, { maxLength: 3 })),
    comparison(fc.constant('_is_null'), fc.constantFrom('n', 't'), fc.boolean()),
  )
  if (depth === 0) return compare
  const part = expressions(table, depth - 1, inPermission)
  const parts = fc.array(part, { maxLength: 3 })
  const links = LINKS[table].map((link) => {
    const relatedTable = linkOf(table, link)?.table ?? table
    return expressions(relatedTable, depth - 1, inPermission).map(
      (condition): Expression => ({ kind: 'related', link, part: condition }),
    )
  })
  return fc.oneof(
    compare,
    parts.map((all): Expression => ({ kind: 'and', parts: all })),
    parts.map((all): Expression => ({ kind: 'or', parts: all })),
    part.map((condition): Expression => ({ kind: 'not', part: condition })),
    ...links,
  )
}

type Comparison = Extract<Expression, { kind: 'compare' }>

function comparison(
  operator: fc.Arbitrary<Comparison['operator']>,
  column: string | fc.Arbitrary<string>,
  operand: fc.Arbitrary<Operand>,
): fc.Arbitrary<Expression> {
  const columns = typeof column === 'string' ? fc.constant(column) : column
  return fc
    .tuple(operator, columns, operand)
    .map(([operator, column, operand]) => ({ kind: 'compare', column, operator, operand }))
}

const LINKS = { a: ['bs'], b: ['a', 'cs'], c: ['b'] } as const

function tableQueries(table: TableName, depth: number): fc.Arbitrary<TableQuery> {
  return fc.record({
    where: fc.option(expressions(table, 2, false)),
    order: fc.option(
      fc.record({
        column: fc.constantFrom('n', 't'),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
      }),
    ),
    limit: fc.option(fc.integer({ min: 0, max: 5 })),
    offset: fc.option(fc.integer({ min: 0, max: 3 })),
    selection: selections(table, depth),
  })
}

function selections(table: TableName, depth: number): fc.Arbitrary<Selection> {
  const columns = fc.subarray(['n', 't']).map((some) => ['id', ...some])
  if (depth === 0) return columns.map((some) => ({ columns: some, links: [] }))
  const links = fc.tuple(
    ...LINKS[table].map((link) => {
      const relatedTable = linkOf(table, link)?.table ?? table
      const isList = linkOf(table, link)?.kind === 'array'
      const of = isList
        ? tableQueries(relatedTable, depth - 1)
        : selections(relatedTable, depth - 1).map(withoutArguments)
      return fc.option(of.map((of) => ({ link, of })))
    }),
  )
  return fc
    .tuple(columns, links)
    .map(([some, all]) => ({ columns: some, links: all.filter((link) => link !== null) }))
}

/** Makes a query without condition and order from a selection, for a relationship to a single row. */
function withoutArguments(selection: Selection): TableQuery {
  return { where: null, order: null, limit: null, offset: null, selection }
}

/** Generates queries of any table. */
export function rootQueries(): fc.Arbitrary<RootQuery> {
  return fc.constantFrom('a' as const, 'b' as const, 'c' as const).chain((table) =>
    fc.record({
      table: fc.constant(table),
      tableQuery: tableQueries(table, 2),
      aggregate: fc.boolean(),
      asVariable: fc.boolean(),
    }),
  )
}
