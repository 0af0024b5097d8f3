import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWithItems } from '../support/callers/items.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let items: Awaited<ReturnType<typeof startWithItems<ServedEngine>>>

beforeAll(async () => {
  items = await startWithItems(serveEngineHere)
})
afterAll(() => items?.stop())

test('the plan cache stays within its memory limit for plans of thousands of rows', async () => {
  await insertRows('warm')
  const before = heapMb()
  for (let i = 0; i < 40; i++) await insertRows(`insert${i}`)
  expect(heapMb() - before).toBeLessThan(MAX_GROWTH_MB)
})

/** 40 such plans take more than 250 MB; the plan cache is limited to 64 MB. */
const MAX_GROWTH_MB = 120

/** Upserts rows that exist, so that nothing is stored. */
async function insertRows(name: string): Promise<void> {
  const objects = Array.from({ length: 3_000 }, (_, i) => ({ id: i + 1, label: 'x' }))
  const query = `mutation ${name}($objects: [item_insert_input!]!) {
    insert_item(objects: $objects, on_conflict: { constraint: item_pkey, update_columns: [] }) { affected_rows }
  }`
  const { body } = await items.engine.post('/v1/graphql', { query, variables: { objects } })
  expect(body).toEqual({ data: { insert_item: { affected_rows: 0 } } })
}

function heapMb(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}
