import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Database, database } from '../../../../test/support/database.ts'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key);
    insert into item select generate_series(1, 100);
    create view began as select id, now() as at from item;
    create view inverse as select id, 100 / (id - 50) as value from item;
    create view nap as select id, case id when 1 then
      concat(pg_sleep(0.1), pg_advisory_xact_lock_shared(1)) end as slept from item`)
  engine = await serveEngineHere(db.url)
  const tables = ['item', 'began', 'inverse', 'nap'].map((table) => ({ table }))
  await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      metadata: { version: 3, sources: [{ name: 'default', kind: 'postgres', tables }] },
    },
  })
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

async function ask(query: string, id: number) {
  return (await engine.graphql(query, { id })).body
}

/** Sends one read three times, so that the engine can measure that the statement is quick. Then sends all reads at once. */
async function askAll(query: string, ids: readonly number[]) {
  for (let time = 0; time < 3; time++) await ask(query, 100)
  return Promise.all(ids.map((id) => ask(query, id)))
}

const Row = z.object({ id: z.number(), at: z.string() })
const Began = z.object({ data: z.object({ began: z.tuple([Row]) }) })

const IDS = Array.from({ length: 99 }, (_, i) => i + 1)

test('concurrent reads share transactions, and each read returns its rows', async () => {
  const transactions = async () => {
    const answers = await askAll('query ($id: Int!) {began(where: {id: {_eq: $id}}) {id at}}', IDS)
    const rows = answers.map((answer) => Began.parse(answer).data.began[0])
    expect(rows.map(({ id }) => id)).toEqual(IDS)
    return new Set(rows.map(({ at }) => at)).size
  }
  // On a busy machine, no read counts as quick, so the engine sends each read separately. The test then repeats the reads.
  await expect.poll(transactions, { timeout: 90_000 }).toBeLessThan(IDS.length)
})

test('a failed read does not affect others in its transaction', async () => {
  const query = 'query ($id: Int!) {inverse(where: {id: {_eq: $id}}) {id value}}'
  const answers = await askAll(query, IDS)
  for (const [i, id] of IDS.entries())
    expect(answers[i]).toEqual(
      id === 50
        ? { errors: [{ message: 'division by zero', extensions: expect.anything() }] }
        : { data: { inverse: [{ id, value: Math.trunc(100 / (id - 50)) }] } },
    )
})

test('quick reads do not wait behind a statement that was slow before', async () => {
  const query = 'query ($id: Int!) {nap(where: {id: {_eq: $id}}) {id slept}}'
  for (let time = 0; time < 3; time++) await ask(query, 1)
  const lock = await holdAdvisoryLock(db)
  const slow = ask(query, 1)
  const ids = IDS.slice(1, 20)
  const answers = await Promise.all(ids.map((id) => ask(query, id)))
  expect(answers).toEqual(ids.map((id) => ({ data: { nap: [{ id, slept: null }] } })))
  await lock.waitUntilRequested()
  await lock.release()
  expect(await slow).toMatchObject({ data: { nap: [{ id: 1 }] } })
})
