import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { json, literal } from '../support/engine/expression-text.ts'
import { type Asked, asked, worlds } from '../support/engine/random-operations.ts'
import {
  answer,
  chosen,
  linkOf,
  mayAsk,
  type Permission,
  type Question,
  type Selection,
  type TableName,
  type World,
} from '../support/engine/reference.ts'
import { serveEngineHere } from '../support/engine/serve-here.ts'
import type { ServedEngine } from '../support/engine/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table a (id int primary key, n int, t text collate "C");
    create table b (id int primary key, a_id int references a, n int, t text collate "C");
    create table c (id int primary key, b_id int references b, n int, t text collate "C");`)
  engine = await serveEngineHere(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

test('any operation of any role answers what the reference computes', async () => {
  await fc.assert(
    fc.asyncProperty(worlds(), fc.array(asked(), { minLength: 4, maxLength: 8 }), check),
    { numRuns: 40 },
  )
})

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
