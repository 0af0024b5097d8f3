import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { expressions, openWorlds } from './random-questions.ts'
import { isVisible, type Row, truthOf, type World } from './reference.ts'
import { callerOf, referenceMetadata, selectPermission, stageWorld } from './reference-world.ts'

/** Aggregates are over the rows that the role may see. */
export const aggregatesProperty: ReferenceProperty = {
  name: 'aggregates',
  operations: 1,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(openWorlds(), expressions('a', 2, false)),
      async ([world, where]) => {
        const metadata = aggregatesMetadata(world)
        await stageWorld(server, world, metadata)
        const query = `{it: a_aggregate(where: ${graphqlLiteral(expressionJson(where))}) {${ASKED}}}`
        const asked = { headers: callerOf(world), body: { query } }
        const { body } = await server.post('/v1/graphql', asked.body, asked.headers)
        const rows = world.rows.a.filter(
          (row) =>
            isVisible(world, 'a', row) &&
            truthOf({ world, table: 'a', guarded: true }, row, where) === true,
        )
        const expected = { data: { it: { aggregate: numbersOf(rows) } } }
        if (!isDeepStrictEqual(rounded(body), expected))
          failReference({ world, metadata, asked }, 'other numbers', { engine: body, expected })
      },
      runs,
    ),
}

const ASKED = `aggregate {
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
  const sum = n.length > 0 ? n.reduce((total, one) => total + one, 0) : null
  return {
    count: rows.length,
    some: n.length,
    distinct: new Set(n).size,
    sum: { n: sum },
    max: { n: n.length > 0 ? Math.max(...n) : null, t: t.at(-1) ?? null },
    min: { n: n.length > 0 ? Math.min(...n) : null, t: t[0] ?? null },
    avg: { n: sum === null ? null : roundedNumber(sum / n.length) },
  }
}

const Averaged = z.object({
  data: z.object({
    it: z.object({ aggregate: z.looseObject({ avg: z.object({ n: z.number().nullable() }) }) }),
  }),
})

/** The answer with its average rounded: PostgreSQL computes more digits than a double has. */
function rounded(body: unknown): unknown {
  const { data } = Averaged.safeParse(body)
  if (!data) return body
  const { aggregate } = data.data.it
  const { n } = aggregate.avg
  const avg = { n: n === null ? null : roundedNumber(n) }
  return { data: { it: { aggregate: { ...aggregate, avg } } } }
}

function roundedNumber(n: number): number {
  return Number(n.toFixed(9))
}
