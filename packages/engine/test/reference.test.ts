import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../test/support/database.ts'
import { REFERENCE_PROPERTIES } from '../../../trials/differential/reference/properties.ts'
import { REFERENCE_SCHEMA } from '../../../trials/differential/reference/reference-world.ts'
import { describeReproduction } from '../../../trials/differential/reproduction.ts'
import { metadata, replace, table } from './support/metadata.ts'
import { serveEngineHere } from './support/serve-here.ts'
import type { ServedEngine } from './support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(REFERENCE_SCHEMA.join(';'))
  engine = await serveEngineHere(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

/** The number of runs by property; `npm run test:differential` does many more. */
const RUNS: Readonly<Record<string, number>> = { queries: 40 }

test.each(REFERENCE_PROPERTIES)(
  '$name of any role match the reference implementation',
  async ({ name, check }) => {
    const counterexample = await check(engine, { numRuns: RUNS[name] ?? 15 })
    expect(counterexample && describeReproduction(counterexample)).toBeNull()
  },
)

test('a mutation fails if a session variable is missing', async () => {
  const filter = { n: { _eq: 'X-Hasura-N' } }
  const grantSomeone = (permission: object) => [{ role: 'someone', permission }]
  const set = { n: 'X-Hasura-N' }
  const rights = {
    select_permissions: grantSomeone({ columns: '*', filter: {} }),
    insert_permissions: grantSomeone({ columns: ['id', 't'], check: filter, set }),
    update_permissions: grantSomeone({ columns: ['id', 't'], filter, check: filter, set }),
    delete_permissions: grantSomeone({ filter }),
  }
  await engine.post('/v1/metadata', replace(metadata([table('c', rights)])))
  for (const query of [
    'mutation {update_c(where: {}, _set: {t: "x"}) {affected_rows}}',
    'mutation {delete_c(where: {}) {affected_rows}}',
    'mutation {insert_c(objects: {id: 1}) {affected_rows}}',
  ])
    expect((await engine.graphql(query, {}, { 'x-hasura-role': 'someone' })).body).toMatchObject({
      errors: [{ extensions: { code: 'not-found' } }],
    })
})
