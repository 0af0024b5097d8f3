import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { readCatalog } from '../../postgres/catalog.ts'

test('readCatalog runs without JIT compilation, which would take seconds', async () => {
  const db = await database()
  const client = new Client(db.url)
  onTestFinished(async () => {
    await client.end()
    await db.drop()
  })
  const plans: string[] = []
  await client.connect()
  await client.query(`set jit = on;
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_settings = on;
    set auto_explain.log_level = notice`)
  client.on('notice', ({ message = '' }) => plans.push(message))
  await readCatalog(client, { tables: [], functions: [] })
  expect(plans).toEqual([expect.stringContaining("jit = 'off'")])

  // Later statements of the transaction keep the session's setting of JIT.
  await client.query('begin')
  await readCatalog(client, { tables: [], functions: [] })
  expect((await client.query('show jit')).rows).toEqual([{ jit: 'on' }])
})
