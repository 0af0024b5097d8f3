import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { expressions, openWorlds } from './random-queries.ts'
import { type Expression, type Row, truthOf, type World } from './reference.ts'
import { callerOf, referenceMetadata, stageWorld } from './reference-world.ts'

type Parent = { columns: readonly string[]; filter: Expression }

/** Checks that an inherited role sees exactly the values that at least one of its parents sees. */
export const inheritanceProperty: ReferenceProperty = {
  name: 'inherited roles',
  operations: 1,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(openWorlds(), parents(), parents()),
      async ([world, ...both]) => {
        const metadata = parentsMetadata(both)
        await stageWorld(server, world, metadata)
        const columns = [...new Set(both.flatMap((parent) => parent.columns))]
        const query = `{it: a(order_by: {id: asc}) {${columns.join(' ')}}}`
        const request = { headers: callerOf(world, 'heir'), body: { query } }
        const { body } = await server.post('/v1/graphql', request.body, request.headers)
        const expected = { data: { it: inheritedRows(world, both, columns) } }
        if (!isDeepStrictEqual(body, expected))
          failReference({ world, metadata, request }, 'other values', { engine: body, expected })
      },
      runs,
    ),
}

function parents(): fc.Arbitrary<Parent> {
  return fc.record({
    columns: fc.subarray(['n', 't']).map((columns) => ['id', ...columns]),
    filter: expressions('a', 2, true),
  })
}

function inheritedRows(world: World, both: readonly Parent[], columns: readonly string[]) {
  const sees = (row: Row, { filter }: Parent) =>
    truthOf({ world, table: 'a', guarded: false }, row, filter) === true
  return world.rows.a
    .filter((row) => both.some((parent) => sees(row, parent)))
    .map((row) => {
      const visible = both.filter((parent) => sees(row, parent)).flatMap(({ columns }) => columns)
      return Object.fromEntries(
        columns.map((name) => [name, visible.includes(name) ? (row[name] ?? null) : null]),
      )
    })
}

function parentsMetadata(both: readonly Parent[]): object {
  const select_permissions = both.map(({ columns, filter }, i) => ({
    role: `parent${i}`,
    permission: { columns, filter: expressionJson(filter) },
  }))
  return referenceMetadata({ a: { select_permissions } }, [
    { role_name: 'heir', role_set: ['parent0', 'parent1'] },
  ])
}
