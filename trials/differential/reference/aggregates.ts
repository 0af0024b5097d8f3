import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { expressions, openWorlds } from './random-queries.ts'
import { isVisible, type Row, truthOf, type World } from './reference.ts'
import { callerOf, referenceMetadata, selectPermission, stageWorld } from './reference-world.ts'

/** Checks that aggregates have the values of exactly the rows that the role may see and that match the condition. */
export const aggregatesProperty: ReferenceProperty = {
  name: 'aggregates',
  operations: 1,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(openWorlds(), expressions('a', 2, false)),
      async ([world, where]) => {
        const metadata = aggregatesMetadata(world)
        await stageWorld(server, world, metadata)
        const query = `{it: a_aggregate(where: ${graphqlLiteral(expressionJson(where))}) {${SELECTION}}}`
        const request = { headers: callerOf(world), body: { query } }
        const { body } = await server.post('/v1/graphql', request.body, request.headers)
        const rows = world.rows.a.filter(
          (row) =>
            isVisible(world, 'a', row) &&
            truthOf({ world, table: 'a', guarded: true }, row, where) === true,
        )
        const expected = { data: { it: { aggregate: numbersOf(rows) } } }
        if (!isDeepStrictEqual(roundAverage(body), expected))
          failReference({ world, metadata, request }, 'other numbers', { engine: body, expected })
      },
      runs,
    ),
}

const SELECTION = `aggregate {
  count some: count(columns: [n]) distinct: count(columns: [n], distinct: true)
  sum {n} max {n t} min {n t} avg {n} }`

function aggregatesMetadata({ permissions }: World): object {
  const reads = (table: 'a' | 'b' | 'c') => ({
    select_permissions: [
      selectPermission('someone', requireValue(permissions[table], 'a permission')),
    ],
  })
  return referenceMetadata({ a: reads('a'), b: reads('b'), c: reads('c') })
}

function numbersOf(rows: readonly Row[]) {
  const n = rows.flatMap((row) => (typeof row.n === 'number' ? [row.n] : []))
  const t = rows.flatMap((row) => (typeof row.t === 'string' ? [row.t] : [])).toSorted()
  const sum = n.length > 0 ? n.reduce((total, value) => total + value, 0) : null
  return {
    count: rows.length,
    some: n.length,
    distinct: new Set(n).size,
    sum: { n: sum },
    max: { n: n.length > 0 ? Math.max(...n) : null, t: t.at(-1) ?? null },
    min: { n: n.length > 0 ? Math.min(...n) : null, t: t[0] ?? null },
    avg: { n: sum === null ? null : roundNumber(sum / n.length) },
  }
}

const AverageResponse = z.object({
  data: z.object({
    it: z.object({ aggregate: z.looseObject({ avg: z.object({ n: z.number().nullable() }) }) }),
  }),
})

/** Rounds the average of a response, because PostgreSQL computes more digits than a double has. */
function roundAverage(body: unknown): unknown {
  const { data } = AverageResponse.safeParse(body)
  if (!data) return body
  const { aggregate } = data.data.it
  const { n } = aggregate.avg
  const avg = { n: n === null ? null : roundNumber(n) }
  return { data: { it: { aggregate: { ...aggregate, avg } } } }
}

function roundNumber(n: number): number {
  return Number(n.toFixed(9))
}
