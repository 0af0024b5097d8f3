import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../database.ts'
import {
  answer,
  chosen,
  type Expression,
  linkOf,
  mayAsk,
  type Operand,
  type Permission,
  type Question,
  type Row,
  type Selection,
  type TableName,
  type World,
} from './reference.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table a (id int primary key, n int, t text collate "C");
    create table b (id int primary key, a_id int references a, n int, t text collate "C");
    create table c (id int primary key, b_id int references b, n int, t text collate "C");`)
  engine = await startEngine(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

test('any operation of any role answers what the slow reference says', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(worlds(), fc.array(asked(), { minLength: 4, maxLength: 8 }), check),
    { numRuns: 40 },
  )
})

type Asked = { table: TableName; question: Question; aggregate: boolean; asVariable: boolean }

async function check(world: World, questions: readonly Asked[]) {
  await fill(world)
  await track(world)
  for (const one of questions) await compareOne(world, one)
}

async function compareOne(world: World, { table, question, aggregate, asVariable }: Asked) {
  const { query, variables } = documentOf(table, question, { aggregate, asVariable })
  const answered = await engine.graphql(query, variables, {
    'x-hasura-role': 'someone',
    'x-hasura-n': String(world.session),
  })
  const permission = world.permissions[table]
  if (!mayAsk(world, table, question) || (aggregate && !permission?.aggregations)) {
    expect(answered.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    return
  }
  const nodes = answer(world, table, question)
  const count = chosen(world, table, question, world.rows[table], false).length
  const expected = aggregate ? { aggregate: { count }, nodes } : nodes
  expect(answered.body, query).toEqual({ data: { it: expected } })
}

async function fill({ rows }: World) {
  await db.query('truncate a, b, c')
  for (const table of ['a', 'b', 'c'] as const)
    await db.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[table])],
    )
}

async function track({ permissions }: World) {
  const tables = (['a', 'b', 'c'] as const).map((table) => {
    const permission = permissions[table]
    const granted = permission && [{ role: 'someone', permission: metadataOf(permission) }]
    return { table, ...RELATIONSHIPS[table], ...(granted && { select_permissions: granted }) }
  })
  const answered = await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: { metadata: { version: 3, sources: [{ name: 'default', kind: 'postgres', tables }] } },
  })
  expect(answered.body).toMatchObject({ is_consistent: true })
}

const RELATIONSHIPS = {
  a: {
    array_relationships: [
      { name: 'bs', using: { foreign_key_constraint_on: { table: 'b', column: 'a_id' } } },
    ],
  },
  b: {
    object_relationships: [{ name: 'a', using: { foreign_key_constraint_on: 'a_id' } }],
    array_relationships: [
      { name: 'cs', using: { foreign_key_constraint_on: { table: 'c', column: 'b_id' } } },
    ],
  },
  c: { object_relationships: [{ name: 'b', using: { foreign_key_constraint_on: 'b_id' } }] },
}

function metadataOf({ columns, filter, limit, aggregations }: Permission) {
  return { columns, filter: json(filter), limit, allow_aggregations: aggregations }
}

/** The expression as metadata and variables have it. */
function json(expression: Expression): Record<string, unknown> {
  switch (expression.is) {
    case 'and':
      return { _and: expression.parts.map(json) }
    case 'or':
      return { _or: expression.parts.map(json) }
    case 'not':
      return { _not: json(expression.part) }
    case 'compare': {
      const { column, operator, operand } = expression
      return { [column]: { [operator]: operand === 'session' ? 'X-Hasura-N' : operand } }
    }
    case 'related':
      return { [expression.link]: json(expression.part) }
  }
}

/** JSON as GraphQL writes it: keys without quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}: ${literal(member)}`)
    .join(', ')}}`
}

function documentOf(
  table: TableName,
  question: Question,
  { aggregate, asVariable }: Pick<Asked, 'aggregate' | 'asVariable'>,
) {
  const { where } = question
  const variables = asVariable && where ? { w: json(where) } : {}
  const declared = asVariable && where ? `($w: ${table}_bool_exp)` : ''
  const args = argumentsOf(question, asVariable && where ? '$w' : null)
  const body = selectionOf(table, question.selection)
  const field = aggregate
    ? `it: ${table}_aggregate(${args}) {aggregate {count} nodes {${body}}}`
    : `it: ${table}(${args}) {${body}}`
  return { query: `query q${declared} {${field}}`, variables }
}

function argumentsOf({ where, order, limit, offset }: Question, whereText: string | null): string {
  const orders = [...(order ? [`{${order.column}: ${order.direction}}`] : []), '{id: asc}']
  return [
    `order_by: [${orders.join(', ')}]`,
    ...(where ? [`where: ${whereText ?? literal(json(where))}`] : []),
    ...(limit === null ? [] : [`limit: ${limit}`]),
    ...(offset === null ? [] : [`offset: ${offset}`]),
  ].join(', ')
}

function selectionOf(table: TableName, { columns, links }: Selection): string {
  const below = links.map(({ link, of }) => {
    const found = linkOf(table, link)
    const args = found?.kind === 'array' ? `(${argumentsOf(of, null)})` : ''
    return `${link}${args} {${found ? selectionOf(found.table, of.selection) : ''}}`
  })
  return [...columns, ...below].join(' ')
}

const NUMBERS = fc.integer({ min: 0, max: 4 })
const TEXTS = fc.constantFrom('x', 'y', "z'; drop table a; --")

function rowsOf(key: string | null, parents: number): fc.Arbitrary<Row[]> {
  const row = fc.record({
    n: fc.option(NUMBERS),
    t: fc.option(TEXTS),
    ...(key && { [key]: fc.option(fc.integer({ min: 0, max: parents }), { freq: 8 }) }),
  })
  return fc
    .array(row, { minLength: 2, maxLength: 7 })
    .map((rows) => rows.map((one, id): Row => ({ ...one, id })))
}

function worlds(): fc.Arbitrary<World> {
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
      rows: { a, b: existing(b, 'a_id', a), c: existing(c, 'b_id', b) },
      permissions: { a: pa, b: pb, c: pc },
      session,
    }))
}

/** A key that leads nowhere becomes null: the database would refuse it. */
function existing(rows: readonly Row[], key: string, parents: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    [key]: parents.some(({ id }) => id === row[key]) ? (row[key] ?? null) : null,
  }))
}

function permissionOn(table: TableName): fc.Arbitrary<Permission | null> {
  const permission = fc.record({
    // Mostly everything: a question that is refused proves less.
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

function expressions(
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
    const there = linkOf(table, link)?.table ?? table
    return expressions(there, depth - 1, inPermission).map(
      (inside): Expression => ({ is: 'related', link, part: inside }),
    )
  })
  return fc.oneof(
    compare,
    parts.map((all): Expression => ({ is: 'and', parts: all })),
    parts.map((all): Expression => ({ is: 'or', parts: all })),
    part.map((inside): Expression => ({ is: 'not', part: inside })),
    ...links,
  )
}

type Comparison = Extract<Expression, { is: 'compare' }>

function comparison(
  operator: fc.Arbitrary<Comparison['operator']>,
  column: string | fc.Arbitrary<string>,
  operand: fc.Arbitrary<Operand>,
): fc.Arbitrary<Expression> {
  const columns = typeof column === 'string' ? fc.constant(column) : column
  return fc
    .tuple(operator, columns, operand)
    .map(([operator, column, operand]) => ({ is: 'compare', column, operator, operand }))
}

const LINKS = { a: ['bs'], b: ['a', 'cs'], c: ['b'] } as const

function questions(table: TableName, depth: number): fc.Arbitrary<Question> {
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
      const there = linkOf(table, link)?.table ?? table
      const isList = linkOf(table, link)?.kind === 'array'
      const of = isList ? questions(there, depth - 1) : selections(there, depth - 1).map(bare)
      return fc.option(of.map((of) => ({ link, of })))
    }),
  )
  return fc
    .tuple(columns, links)
    .map(([some, found]) => ({ columns: some, links: found.filter((link) => link !== null) }))
}

/** One related row cannot be chosen, only looked at. */
function bare(selection: Selection): Question {
  return { where: null, order: null, limit: null, offset: null, selection }
}

function asked(): fc.Arbitrary<Asked> {
  return fc.constantFrom('a' as const, 'b' as const, 'c' as const).chain((table) =>
    fc.record({
      table: fc.constant(table),
      question: questions(table, 2),
      aggregate: fc.boolean(),
      asVariable: fc.boolean(),
    }),
  )
}
