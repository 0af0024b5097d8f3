import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import type { GraphqlServer } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { expressions, NUMBERS, openWorlds, TEXTS } from './random-queries.ts'
import { errorCode } from './reads.ts'
import { type Expression, type Row, truthOf, type World } from './reference.ts'
import {
  callerOf,
  referenceMetadata,
  selectPermission,
  selectRows,
  stageRows,
  stageWorld,
} from './reference-world.ts'

/** A change to rows of `c`. */
type Change =
  | { kind: 'insert'; rows: readonly Row[] }
  | { kind: 'update'; where: Expression; set: Row; by: number | null }
  | { kind: 'delete'; where: Expression }

/** A role's permissions on `c`. If `preset`, the column `n` is set to the session's value. */
type Rights = { filter: Expression; check: Expression; preset: boolean }

const ANYTHING: Expression = { kind: 'and', parts: [] }

/** Checks that every change has the result that the reference computes, or that both reject it. */
export const changesProperty: ReferenceProperty = {
  name: 'changes',
  operations: 5,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(
        openWorlds(),
        randomRights(),
        fc.array(randomChange(), { minLength: 3, maxLength: 6 }),
      ),
      async ([world, rights, worldChanges]) => {
        const metadata = changeMetadata(world, rights)
        await stageWorld(server, world, metadata)
        for (const change of worldChanges)
          await compareChange(server, { world, metadata, rights, change })
      },
      runs,
    ),
}

function randomChange(): fc.Arbitrary<Change> {
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

function randomRights(): fc.Arbitrary<Rights> {
  // Checks may read only the changed row: the reference does not compute how checks see other changing rows.
  const checks = expressions('c', 1, true).filter((expression) => !readsOtherRows(expression))
  return fc.record({
    filter: expressions('c', 1, true),
    check: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Expression>(ANYTHING) },
      { weight: 3, arbitrary: checks },
    ),
    preset: fc.boolean(),
  })
}

function readsOtherRows(expression: Expression): boolean {
  if (expression.kind === 'related') return true
  if (expression.kind === 'not') return readsOtherRows(expression.part)
  return 'parts' in expression && expression.parts.some(readsOtherRows)
}

type ChangeCase = { world: World; metadata: object; rights: Rights; change: Change }

const Answer = z.object({
  data: z.object({
    it: z.object({
      affected_rows: z.number(),
      returning: z.array(z.looseObject({ id: z.number() })),
    }),
  }),
})

async function compareChange(server: GraphqlServer, changeCase: ChangeCase): Promise<void> {
  const { world, metadata, rights, change } = changeCase
  await stageRows(server, world)
  const request = { headers: callerOf(world), body: { query: documentFor(change, rights) } }
  const { body } = await server.post('/v1/graphql', request.body, request.headers)
  const after = await selectRows(server, 'c')
  const expected = expectedChange(changeCase)
  const at = { world, metadata, request }
  if (expected === null) {
    if (errorCode(body) !== 'permission-error')
      failReference(at, 'not rejected', { engine: body, expected: 'permission-error' })
    if (!isDeepStrictEqual(after, world.rows.c))
      failReference(at, 'rejected, but the rows changed', {
        engine: after,
        expected: world.rows.c,
      })
    return
  }
  // SQL returns changed rows in an undefined order.
  const it = {
    affected_rows: expected.changedRows.length,
    returning: inOrder(expected.changedRows),
  }
  const { data } = Answer.safeParse(body)
  const result = data && { ...data.data.it, returning: inOrder(data.data.it.returning) }
  if (!isDeepStrictEqual(result, it))
    failReference(at, 'another response', { engine: body, expected: { data: { it } } })
  if (!isDeepStrictEqual(after, expected.rows))
    failReference(at, 'other rows', { engine: after, expected: expected.rows })
}

function inOrder<T extends { id?: unknown }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id))
}

/** Computes the rows of the table after a change, and the changed rows as the response shows them; null if the change is rejected. */
function expectedChange({ world, rights, change }: ChangeCase) {
  const unguarded = { world, table: 'c', guarded: false } as const
  const passesCheck = (row: Row) => truthOf(unguarded, row, rights.check) !== false
  const presets = rights.preset ? { n: world.session } : {}
  const rows = world.rows.c
  if (change.kind === 'insert') {
    const newRows = change.rows.map(
      (row): Row => ({ b_id: null, n: null, t: null, ...row, ...presets }),
    )
    if (!newRows.every(passesCheck)) return null
    return { rows: [...rows, ...newRows], changedRows: newRows.map(returnedRow) }
  }
  const matches = rows.filter(
    (row) =>
      truthOf(unguarded, row, rights.filter) === true &&
      truthOf({ ...unguarded, guarded: true }, row, change.where) === true,
  )
  if (change.kind === 'delete')
    return {
      rows: rows.filter((row) => !matches.includes(row)),
      changedRows: matches.map(returnedRow),
    }
  if (Object.keys(change.set).length === 0 && change.by === null && !rights.preset)
    return { rows, changedRows: [] }
  const update = (row: Row): Row => ({ ...row, ...updatedValues(row, change), ...presets })
  if (!matches.map(update).every(passesCheck)) return null
  const after = rows.map((row) => (matches.includes(row) ? update(row) : row))
  return { rows: after, changedRows: matches.map((row) => returnedRow(update(row))) }
}

function updatedValues(row: Row, { set, by }: Extract<Change, { kind: 'update' }>): Row {
  const n = row.n == null || by === null ? (row.n ?? null) : Number(row.n) + by
  return { ...set, n }
}

function returnedRow({ id, n, t }: Row): Row {
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
  const rows = { filter: expressionJson(filter) }
  const rowCheck = { check: expressionJson(check) }
  const grant = (permission: object) => [{ role: 'someone', permission }]
  return referenceMetadata({
    a: reads('a'),
    b: reads('b'),
    c: {
      ...reads('c'),
      insert_permissions: grant({ columns, ...rowCheck, set }),
      update_permissions: grant({ columns, ...rows, ...rowCheck, set }),
      delete_permissions: grant(rows),
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
