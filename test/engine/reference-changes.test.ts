import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Database, database } from '../support/database.ts'
import { json, literal } from '../support/engine/expression-text.ts'
import { expressions, worlds } from '../support/engine/random-operations.ts'
import { type Expression, type Row, truth, type World } from '../support/engine/reference.ts'
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

const ANYTHING: Expression = { kind: 'and', parts: [] }
const NUMBERS = fc.integer({ min: 0, max: 4 })
const TEXTS = fc.constantFrom('x', 'y', "z'; drop table a; --")

/** Changes to rows of `c`. */
type Change =
  | { kind: 'insert'; rows: readonly Row[] }
  | { kind: 'update'; where: Expression; set: Row; by: number | null }
  | { kind: 'delete'; where: Expression }

/** What a role may do with `c`; if `preset`, a column is set to the session's value. */
type Rights = { filter: Expression; check: Expression; preset: boolean }

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    rows: fc
      .array(fc.record({ n: fc.option(NUMBERS), t: fc.option(TEXTS) }), { maxLength: 3 })
      .map((rows) => rows.map((row, i): Row => ({ id: 100 + i, ...row }))),
  }),
  fc.record({
    kind: fc.constant('update' as const),
    where: expressions('c', 2, false),
    set: fc.record({ t: fc.option(TEXTS) }, { requiredKeys: [] }),
    by: fc.option(fc.integer({ min: -2, max: 2 })),
  }),
  fc.record({ kind: fc.constant('delete' as const), where: expressions('c', 2, false) }),
)

/** Checks on the row itself only: what a check sees of other rows while these change is not tested here. */
const checks = expressions('c', 1, true).filter((expression) => !looksAround(expression))

const rights: fc.Arbitrary<Rights> = fc.record({
  filter: expressions('c', 1, true),
  check: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Expression>(ANYTHING) },
    { weight: 3, arbitrary: checks },
  ),
  preset: fc.boolean(),
})

function looksAround(expression: Expression): boolean {
  if (expression.kind === 'related') return true
  if (expression.kind === 'not') return looksAround(expression.part)
  return 'parts' in expression && expression.parts.some(looksAround)
}

test('any change of any role does what the reference computes, or is refused by both', async () => {
  await fc.assert(
    fc.asyncProperty(
      worlds().map(seen),
      rights,
      fc.array(changes, { minLength: 3, maxLength: 6 }),
      async (world, given, all) => {
        await track(world, given)
        for (const change of all) await compareChange(world, given, change)
      },
    ),
    { numRuns: 15 },
  )
})

/** The same world, in which the role may compare all columns: that permission is tested elsewhere. */
function seen(world: World): World {
  const all = { columns: ['id', 'n', 't'], limit: null, aggregations: true }
  const { a, b, c } = world.permissions
  return {
    ...world,
    permissions: {
      a: { ...all, filter: a?.filter ?? ANYTHING },
      b: { ...all, filter: b?.filter ?? ANYTHING },
      c: { ...all, filter: c?.filter ?? ANYTHING },
    },
  }
}

const Answer = z.object({
  data: z.object({
    it: z.object({
      affected_rows: z.number(),
      returning: z.array(z.looseObject({ id: z.number() })),
    }),
  }),
})

async function compareChange(world: World, given: Rights, change: Change) {
  await fill(world)
  const { body } = await engine.graphql(documentOf(change, given), {}, session(world))
  const expected = changed(world, given, change)
  const after = (await db.query('select * from c order by id')).rows
  if (expected === null) {
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
    expect(after).toEqual(world.rows.c)
    return
  }
  const { affected_rows, returning } = Answer.parse(body).data.it
  // SQL returns changed rows in an undefined order.
  const inOrder = <T extends { id?: unknown }>(rows: readonly T[]) =>
    rows.toSorted((one, other) => Number(one.id) - Number(other.id))
  const returned = inOrder(returning)
  const touched = inOrder(expected.touched)
  expect({ affected_rows, returned }, documentOf(change, given)).toEqual({
    affected_rows: touched.length,
    returned: touched,
  })
  expect(after).toEqual(expected.rows)
}

/** The table after a change, with the ids and values of the changed rows; null if the change is refused. */
function changed(world: World, { filter, check, preset }: Rights, change: Change) {
  const holds = (row: Row) => truth(world, 'c', row, check, false) !== false
  const pick = ({ id, n, t }: Row) => ({ id, n: n ?? null, t: t ?? null })
  const presets = preset ? { n: world.session } : {}
  if (change.kind === 'insert') {
    const rows = change.rows.map(
      (row): Row => ({ b_id: null, n: null, t: null, ...row, ...presets }),
    )
    if (!rows.every(holds)) return null
    return { rows: [...world.rows.c, ...rows], touched: rows.map(pick) }
  }
  const chosen = world.rows.c.filter(
    (row) =>
      truth(world, 'c', row, filter, false) === true &&
      truth(world, 'c', row, change.where, true) === true,
  )
  if (change.kind === 'delete') {
    return { rows: world.rows.c.filter((row) => !chosen.includes(row)), touched: chosen.map(pick) }
  }
  const update = (row: Row): Row => ({
    ...row,
    ...change.set,
    ...(change.by !== null && { n: row.n == null ? null : Number(row.n) + change.by }),
    ...presets,
  })
  const isNothing = Object.keys(change.set).length === 0 && change.by === null && !preset
  if (isNothing) return { rows: world.rows.c, touched: [] }
  const updated = chosen.map(update)
  if (!updated.every(holds)) return null
  const rows = world.rows.c.map((row) => (chosen.includes(row) ? update(row) : row))
  return { rows, touched: updated.map(pick) }
}

function documentOf(change: Change, { preset }: Rights): string {
  const answer = '{affected_rows returning {id n t}}'
  switch (change.kind) {
    case 'insert': {
      const rows = change.rows.map(({ n, ...row }) => (preset ? row : { ...row, n }))
      return `mutation {it: insert_c(objects: ${literal(rows)}) ${answer}}`
    }
    case 'update': {
      const by = change.by === null || preset ? '' : `, _inc: {n: ${change.by}}`
      const set = `_set: ${literal(change.set)}`
      return `mutation {it: update_c(where: ${literal(json(change.where))}, ${set}${by}) ${answer}}`
    }
    case 'delete':
      return `mutation {it: delete_c(where: ${literal(json(change.where))}) ${answer}}`
  }
}

test('an inherited role sees what any parent sees, value by value', async () => {
  const parent = fc.record({
    columns: fc.subarray(['n', 't']).map((columns) => ['id', ...columns]),
    filter: expressions('a', 2, true),
  })
  await fc.assert(
    fc.asyncProperty(worlds().map(seen), fc.tuple(parent, parent), async (world, parents) => {
      await fill(world)
      await trackParents(parents)
      const columns = [...new Set(parents.flatMap((one) => one.columns))]
      const { body } = await engine.graphql(
        `{it: a(order_by: {id: asc}) {${columns.join(' ')}}}`,
        {},
        session(world, 'heir'),
      )
      const sees = (row: Row, { filter }: (typeof parents)[number]) =>
        truth(world, 'a', row, filter, false) === true
      const expected = world.rows.a
        .filter((row) => parents.some((one) => sees(row, one)))
        .map((row) => {
          const visible = parents.filter((one) => sees(row, one)).flatMap((one) => one.columns)
          return Object.fromEntries(
            columns.map((name) => [name, visible.includes(name) ? (row[name] ?? null) : null]),
          )
        })
      expect(body).toEqual({ data: { it: expected } })
    }),
    { numRuns: 15 },
  )
})

test('aggregates are over the rows that the role may see', async () => {
  await fc.assert(
    fc.asyncProperty(worlds().map(seen), expressions('a', 2, false), async (world, where) => {
      await fill(world)
      await track(world, { filter: ANYTHING, check: ANYTHING, preset: false })
      const { body } = await engine.graphql(
        `{it: a_aggregate(where: ${literal(json(where))}) {aggregate {
          count some: count(columns: [n]) distinct: count(columns: [n], distinct: true)
          sum {n} max {n t} min {n t} avg {n} } } }`,
        {},
        session(world),
      )
      const rows = world.rows.a.filter(
        (row) =>
          truth(world, 'a', row, world.permissions.a?.filter ?? where, false) === true &&
          truth(world, 'a', row, where, true) === true,
      )
      expect(body).toEqual({ data: { it: { aggregate: numbersOf(rows) } } })
    }),
    { numRuns: 15 },
  )
})

function numbersOf(rows: readonly Row[]) {
  const n = rows.flatMap((row) => (typeof row.n === 'number' ? [row.n] : []))
  const t = rows.flatMap((row) => (typeof row.t === 'string' ? [row.t] : [])).toSorted()
  const sum = n.length > 0 ? n.reduce((all, one) => all + one, 0) : null
  return {
    count: rows.length,
    some: n.length,
    distinct: new Set(n).size,
    sum: { n: sum },
    max: { n: n.length > 0 ? Math.max(...n) : null, t: t.at(-1) ?? null },
    min: { n: n.length > 0 ? Math.min(...n) : null, t: t[0] ?? null },
    avg: { n: sum === null ? null : expect.closeTo(sum / n.length, 9) },
  }
}

test('a missing session variable fails the operation', async () => {
  const filter: Expression = { kind: 'compare', column: 'n', operator: '_eq', operand: 'session' }
  const world = fc.sample(worlds().map(seen), { numRuns: 1, seed: 1 })[0]
  if (!world) throw new Error('no world')
  await track(world, { filter, check: filter, preset: true })
  for (const query of [
    'mutation {update_c(where: {}, _set: {t: "x"}) {affected_rows}}',
    'mutation {delete_c(where: {}) {affected_rows}}',
    'mutation {insert_c(objects: {id: 1}) {affected_rows}}',
  ])
    expect((await engine.graphql(query, {}, { 'x-hasura-role': 'someone' })).body).toMatchObject({
      errors: [{ extensions: { code: 'not-found' } }],
    })
})

function session(world: World, role = 'someone') {
  return { 'x-hasura-role': role, 'x-hasura-n': String(world.session) }
}

async function fill({ rows }: World) {
  await db.query('truncate a, b, c')
  for (const table of ['a', 'b', 'c'] as const)
    await db.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[table])],
    )
}

async function track({ permissions }: World, { filter, check, preset }: Rights) {
  const set = preset ? { n: 'X-Hasura-N' } : {}
  const columns = ['id', 't', ...(preset ? [] : ['n'])]
  const reads = (table: 'a' | 'b' | 'c') => ({
    role: 'someone',
    permission: {
      columns: '*',
      filter: json(permissions[table]?.filter ?? filter),
      allow_aggregations: true,
    },
  })
  const granted = (permission: object) => [{ role: 'someone', permission }]
  await replace([
    { table: 'a', ...RELATIONSHIPS.a, select_permissions: [reads('a')] },
    { table: 'b', ...RELATIONSHIPS.b, select_permissions: [reads('b')] },
    {
      table: 'c',
      ...RELATIONSHIPS.c,
      select_permissions: [reads('c')],
      insert_permissions: granted({ columns, check: json(check), set }),
      update_permissions: granted({ columns, filter: json(filter), check: json(check), set }),
      delete_permissions: granted({ filter: json(filter) }),
    },
  ])
}

async function trackParents(parents: readonly { columns: string[]; filter: Expression }[]) {
  const select_permissions = parents.map(({ columns, filter }, i) => ({
    role: `parent${i}`,
    permission: { columns, filter: json(filter) },
  }))
  await replace(
    [
      { table: 'a', ...RELATIONSHIPS.a, select_permissions },
      { table: 'b', ...RELATIONSHIPS.b },
      { table: 'c', ...RELATIONSHIPS.c },
    ],
    [{ role_name: 'heir', role_set: ['parent0', 'parent1'] }],
  )
}

async function replace(tables: readonly object[], inherited_roles: readonly object[] = []) {
  const sources = [{ name: 'default', kind: 'postgres', tables }]
  const { body } = await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: { metadata: { version: 3, sources, inherited_roles } },
  })
  expect(body).toMatchObject({ is_consistent: true })
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
