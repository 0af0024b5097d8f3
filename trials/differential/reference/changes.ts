import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import type { GraphqlServer } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { expressions, NUMBERS, openWorlds, TEXTS } from './random-questions.ts'
import { errorCode } from './reads.ts'
import { type Expression, type Row, truthOf, type World } from './reference.ts'
import {
  callerOf,
  referenceMetadata,
  rowsNow,
  selectPermission,
  stageRows,
  stageWorld,
} from './reference-world.ts'

/** Changes to rows of `c`. */
type Change =
  | { kind: 'insert'; rows: readonly Row[] }
  | { kind: 'update'; where: Expression; set: Row; by: number | null }
  | { kind: 'delete'; where: Expression }

/** What a role may do with `c`; if `preset`, a column is set to the session's value. */
type Rights = { filter: Expression; check: Expression; preset: boolean }

const ANYTHING: Expression = { kind: 'and', parts: [] }

/** Any change of any role does what the reference computes, or is refused by both. */
export const changesProperty: ReferenceProperty = {
  name: 'changes',
  operations: 5,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(openWorlds(), rights(), fc.array(changes(), { minLength: 3, maxLength: 6 })),
      async ([world, given, all]) => {
        const metadata = changeMetadata(world, given)
        await stageWorld(server, world, metadata)
        for (const change of all) await compareChange(server, { world, metadata, given, change })
      },
      runs,
    ),
}

function changes(): fc.Arbitrary<Change> {
  return fc.oneof(
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
}

function rights(): fc.Arbitrary<Rights> {
  // Checks on the row itself only: what a check sees of other rows while these change is not computed here.
  const checks = expressions('c', 1, true).filter((expression) => !looksAround(expression))
  return fc.record({
    filter: expressions('c', 1, true),
    check: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Expression>(ANYTHING) },
      { weight: 3, arbitrary: checks },
    ),
    preset: fc.boolean(),
  })
}

function looksAround(expression: Expression): boolean {
  if (expression.kind === 'related') return true
  if (expression.kind === 'not') return looksAround(expression.part)
  return 'parts' in expression && expression.parts.some(looksAround)
}

type Compared = { world: World; metadata: object; given: Rights; change: Change }

const Answer = z.object({
  data: z.object({
    it: z.object({
      affected_rows: z.number(),
      returning: z.array(z.looseObject({ id: z.number() })),
    }),
  }),
})

async function compareChange(server: GraphqlServer, compared: Compared): Promise<void> {
  const { world, metadata, given, change } = compared
  await stageRows(server, world)
  const asked = { headers: callerOf(world), body: { query: documentFor(change, given) } }
  const { body } = await server.post('/v1/graphql', asked.body, asked.headers)
  const after = await rowsNow(server, 'c')
  const expected = changedRows(compared)
  const at = { world, metadata, asked }
  if (expected === null) {
    if (errorCode(body) !== 'permission-error')
      failReference(at, 'not refused', { engine: body, expected: 'permission-error' })
    if (!isDeepStrictEqual(after, world.rows.c))
      failReference(at, 'refused, and other rows', { engine: after, expected: world.rows.c })
    return
  }
  // SQL returns changed rows in an undefined order.
  const it = { affected_rows: expected.touched.length, returning: inOrder(expected.touched) }
  const { data } = Answer.safeParse(body)
  const answered = data && { ...data.data.it, returning: inOrder(data.data.it.returning) }
  if (!isDeepStrictEqual(answered, it))
    failReference(at, 'another answer', { engine: body, expected: { data: { it } } })
  if (!isDeepStrictEqual(after, expected.rows))
    failReference(at, 'other rows', { engine: after, expected: expected.rows })
}

function inOrder<T extends { id?: unknown }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => Number(one.id) - Number(other.id))
}

/** The table after a change, with the ids and values of the changed rows; null if the change is refused. */
function changedRows({ world, given, change }: Compared) {
  const unguarded = { world, table: 'c', guarded: false } as const
  const holds = (row: Row) => truthOf(unguarded, row, given.check) !== false
  const presets = given.preset ? { n: world.session } : {}
  const rows = world.rows.c
  if (change.kind === 'insert') {
    const added = change.rows.map(
      (row): Row => ({ b_id: null, n: null, t: null, ...row, ...presets }),
    )
    return added.every(holds) ? { rows: [...rows, ...added], touched: added.map(shownRow) } : null
  }
  const chosen = rows.filter(
    (row) =>
      truthOf(unguarded, row, given.filter) === true &&
      truthOf({ ...unguarded, guarded: true }, row, change.where) === true,
  )
  if (change.kind === 'delete')
    return { rows: rows.filter((row) => !chosen.includes(row)), touched: chosen.map(shownRow) }
  if (Object.keys(change.set).length === 0 && change.by === null && !given.preset)
    return { rows, touched: [] }
  const update = (row: Row): Row => ({ ...row, ...updatedValues(row, change), ...presets })
  if (!chosen.map(update).every(holds)) return null
  const after = rows.map((row) => (chosen.includes(row) ? update(row) : row))
  return { rows: after, touched: chosen.map((row) => shownRow(update(row))) }
}

function updatedValues(row: Row, { set, by }: Extract<Change, { kind: 'update' }>): Row {
  const n = row.n == null || by === null ? (row.n ?? null) : Number(row.n) + by
  return { ...set, n }
}

function shownRow({ id, n, t }: Row): Row {
  return { id: requireValue(id, 'the id of a row'), n: n ?? null, t: t ?? null }
}

function changeMetadata({ permissions }: World, { filter, check, preset }: Rights): object {
  const set = preset ? { n: 'X-Hasura-N' } : {}
  const columns = ['id', 't', ...(preset ? [] : ['n'])]
  const reads = (table: 'a' | 'b' | 'c') => ({
    select_permissions: [
      selectPermission('someone', requireValue(permissions[table], 'a permission')),
    ],
  })
  const [rows, checked] = [{ filter: expressionJson(filter) }, { check: expressionJson(check) }]
  const granted = (permission: object) => [{ role: 'someone', permission }]
  return referenceMetadata({
    a: reads('a'),
    b: reads('b'),
    c: {
      ...reads('c'),
      insert_permissions: granted({ columns, ...checked, set }),
      update_permissions: granted({ columns, ...rows, ...checked, set }),
      delete_permissions: granted(rows),
    },
  })
}

function documentFor(change: Change, { preset }: Rights): string {
  const answer = '{affected_rows returning {id n t}}'
  switch (change.kind) {
    case 'insert': {
      const rows = change.rows.map(({ n, ...row }) => (preset ? row : { ...row, n }))
      return `mutation {it: insert_c(objects: ${graphqlLiteral(rows)}) ${answer}}`
    }
    case 'update': {
      const by = change.by === null || preset ? '' : `, _inc: {n: ${change.by}}`
      const where = graphqlLiteral(expressionJson(change.where))
      return `mutation {it: update_c(where: ${where}, _set: ${graphqlLiteral(change.set)}${by}) ${answer}}`
    }
    case 'delete':
      return `mutation {it: delete_c(where: ${graphqlLiteral(expressionJson(change.where))}) ${answer}}`
  }
}
