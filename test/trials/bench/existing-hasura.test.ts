import { expect, test } from 'vitest'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import { ADMIN_SECRET } from '../../../packages/engine/test/support/start-engine.ts'
import { startGraphqlContenders } from '../../../trials/bench/contenders/graphql-servers.ts'
import { WORKLOADS } from '../../../trials/bench/load/graphql-workloads.ts'
import { callOnce } from '../../../trials/bench/load/http-load.ts'
import { createShop } from '../../../trials/bench/load/shop-database.ts'
import { database } from '../../support/database.ts'

test('an existing server (here an engine) answers each workload like the benchmark’s engine, and gets its metadata back', async () => {
  const db = await database()
  const runningEngine = await serveEngineHere(db.url)
  await db.query('create table own (id int primary key)')
  await runningEngine.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'own' } })
  const metadata = async () => {
    const { body } = await runningEngine.post('/v1/metadata', { type: 'export_metadata', args: {} })
    return body
  }
  const before = await metadata()
  const shop = createShop(1_000)
  const hasura = { endpoint: runningEngine.url, adminSecret: ADMIN_SECRET }
  const contenders = await startGraphqlContenders(shop, hasura)
  for (const workload of WORKLOADS) {
    const answers = [contenders.engine, contenders.hasura].map(async (server) => {
      if (!server) throw new Error('the given server is no contender')
      const call = server.call(workload, workload.variables(0, shop))
      return JSON.parse((await callOnce(server.url, call)).text)
    })
    const [engine, otherAnswer] = await Promise.all(answers)
    expect(engine.errors).toBeUndefined()
    expect(otherAnswer).toEqual(engine)
  }
  await contenders.stop()
  expect(await metadata()).toEqual(before)
  await runningEngine.stop()
  await db.drop()
})
