import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { makeAction, makeApp, makeTeam } from '../support/webhooks/platform-rows.ts'

let db: Database
let app: string

beforeAll(async () => {
  db = await database('platform')
  app = await makeApp(db, { team: await makeTeam(db) })
})
afterAll(() => db.drop())

const PERSON = `0x${'1'.repeat(64)}`
const OTHER_PERSON = `0x${'4'.repeat(64)}`

test.each([
  ['3.0', '4.0'],
  ['3.0', 'both'],
  ['4.0', '3.0'],
  ['4.0', 'both'],
])('an action that has counted people cannot change from %s to %s', async (from, to) => {
  const action = await makeProtocolAction(from)
  await count(action, from)
  await expect(change(action, to)).rejects.toThrow(
    `protocol cannot be changed to ${to}: the action has counted people`,
  )
})

test.each(['3.0', '4.0'])(
  'an action of both protocols with counted people can be restricted to %s',
  async (to) => {
    const action = await makeProtocolAction('both')
    await count(action, '3.0')
    await change(action, to)
    expect(await count(action, '3.0', OTHER_PERSON)).toBe(to === '3.0' ? 1 : 0)
  },
)

test('an action without people changes its protocol', async () => {
  const action = await makeProtocolAction('3.0')
  await change(action, '4.0')
  expect(await count(action, '4.0')).toBe(1)
})

test.each(['record_nullifiers', 'record_requests'])(
  '%s counts no proof of a protocol that the action does not accept',
  async (statement) => {
    const action = await makeProtocolAction('4.0')
    const call = {
      app_id: app,
      key_hash: '2'.repeat(64),
      fingerprint: '3'.repeat(64),
      action_id: action,
      nullifier_hash: PERSON,
      token_id: 'token',
      protocol: '3.0',
    }
    const { rows } = await db.query(`select from ${statement}($1)`, [JSON.stringify([call])])
    expect(rows).toEqual([])
  },
)

test('a change of the protocol waits for a verification that is being counted, and is then refused', async () => {
  const action = await makeProtocolAction('3.0')
  const [counting, changing] = [new Client(db.url), new Client(db.url)]
  await Promise.all([counting.connect(), changing.connect()])
  try {
    await counting.query('begin')
    await counting.query("select from record_nullifier($1, $2, '3.0')", [action, PERSON])
    const outcome = changing
      .query("update action set protocol = '4.0' where id = $1", [action])
      .catch((error: unknown) => error)
    await expect.poll(waitingLocks).toBe(1)
    await counting.query('commit')
    expect(await outcome).toMatchObject({ message: expect.stringContaining('counted people') })
  } finally {
    await Promise.all([counting.end(), changing.end()])
  }
})

test('a verification waits for a change of the protocol, and is then not counted', async () => {
  const action = await makeProtocolAction('3.0')
  const [counting, changing] = [new Client(db.url), new Client(db.url)]
  await Promise.all([counting.connect(), changing.connect()])
  try {
    await changing.query('begin')
    await changing.query("update action set protocol = '4.0' where id = $1", [action])
    const outcome = counting.query("select from record_nullifier($1, $2, '3.0')", [action, PERSON])
    await expect.poll(waitingLocks).toBe(1)
    await changing.query('commit')
    expect((await outcome).rows).toEqual([])
  } finally {
    await Promise.all([counting.end(), changing.end()])
  }
})

async function makeProtocolAction(protocol: string): Promise<string> {
  const id = await makeAction(db, app, { action: randomUUID() })
  await change(id, protocol)
  return id
}

function change(action: string, protocol: string) {
  return db.query('update action set protocol = $2 where id = $1', [action, protocol])
}

async function count(action: string, protocol: string, person = PERSON): Promise<number> {
  const { rows } = await db.query('select from record_nullifier($1, $2, $3)', [
    action,
    person,
    protocol === 'both' ? '3.0' : protocol,
  ])
  return rows.length
}

async function waitingLocks(): Promise<number> {
  const { rows } = await db.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length
}
