import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

type Team = Awaited<ReturnType<TestPlatform['team']>>

let platform: TestPlatform
let team: Team

beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())
beforeEach(async () => {
  team = await platform.team()
})

const requests: [string, (apiKey: string) => Promise<number>][] = [
  ['a GraphQL request', async (apiKey) => (await ask(apiKey)).status],
  ['a payment status request', async (apiKey) => (await askForPayment(apiKey)).status],
]

test.each(requests)('%s records the time at which the key was used', async (_name, use) => {
  const before = await keyRow()
  expect(before.last_used_at).toBeNull()
  await use(team.apiKey)
  const { last_used_at, ...otherColumns } = await recordedRow()
  expect(Math.abs(Date.now() - last_used_at.getTime())).toBeLessThan(60_000)
  // The use does not count as a change of the key.
  expect({ ...otherColumns, last_used_at: null }).toEqual(before)
  const { rows } = await platform.db.query(
    "select from audit where subject_id = $1 and changes ? 'last_used_at'",
    [team.keyId],
  )
  expect(rows).toEqual([])
})

test('the use of a key is recorded at most once an hour', async () => {
  const recent = await setUsed('59 minutes')
  await ask(team.apiKey)
  const [lastUse] = await lastUseAfterAnother()
  expect(lastUse.getTime()).toBe(recent.getTime())
  const old = await setUsed('61 minutes')
  await ask(team.apiKey)
  await vi.waitUntil(async () => (await keyRow()).last_used_at > old, 20_000)
})

test('twenty simultaneous requests to two instances record the use of a key once', async () => {
  await platform.db.query(
    `create table noted (key text);
    create function count_notes() returns trigger language plpgsql security definer as $$
      begin insert into noted values (new.id); return null; end $$;
    create trigger count_notes after update of last_used_at on api_key
    for each row execute function count_notes()`,
  )
  const other = await platform.anotherInstance()
  const headers = { authorization: `Bearer ${team.apiKey}` }
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      fetch(`${n % 2 ? other.baseUrl : platform.baseUrl}${PAYMENT}`, { headers }),
    ),
  )
  await recordedRow()
  await lastUseAfterAnother()
  const { rows } = await platform.db.query('select from noted where key = $1', [team.keyId])
  expect(rows).toHaveLength(1)
  await other.stop()
  await platform.db.query('drop trigger count_notes on api_key')
})

test('a request does not wait while the use of its key is recorded', async () => {
  await platform.db.query('begin')
  await platform.db.query('select from api_key where id = $1 for update', [team.keyId])
  expect((await ask(team.apiKey)).body).toEqual({ data: { team: [{ id: team.id }] } })
  await platform.db.query('commit')
  await recordedRow()
})

test('a request succeeds even if the use of its key cannot be recorded', async () => {
  await platform.db.query(
    `create function refuse_notes() returns trigger language plpgsql as $$
      begin raise exception 'read-only'; end $$;
    create trigger refuse_notes before update of last_used_at on api_key
    for each row execute function refuse_notes()`,
  )
  for (let n = 0; n < 2; n++)
    expect((await ask(team.apiKey)).body).toEqual({ data: { team: [{ id: team.id }] } })
  await platform.db.query('drop trigger refuse_notes on api_key')
  await ask(team.apiKey)
  await recordedRow()
})

test('a rejected key is not recorded as used', async () => {
  const forgedKey = `api_${Buffer.from(`${team.keyId}:${randomBytes(32).toString('base64url')}`).toString('base64url')}`
  await ask(forgedKey)
  await askForPayment(forgedKey)
  await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
  await ask(team.apiKey)
  await askForPayment(team.apiKey)
  const [lastUse] = await lastUseAfterAnother()
  expect(lastUse).toBeNull()
})

test('a team reads last_used_at of its own keys, and cannot write it', async () => {
  await ask(team.apiKey)
  const at = (await recordedRow()).last_used_at
  const reply = await ask(team.apiKey, '{ api_key { last_used_at } }')
  expect(reply.body).toEqual({ data: { api_key: [{ last_used_at: expect.any(String) }] } })
  expect(JSON.stringify(reply.body)).toContain(at.toISOString().slice(0, 19))
  const mutation =
    'mutation { update_api_key(where: {}, _set: {last_used_at: null}) { affected_rows } }'
  expect((await ask(team.apiKey, mutation)).body).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  })
})

/** Reads last_used_at of the team's key once a later use of another team's key has been recorded. */
async function lastUseAfterAnother() {
  const other = await platform.team()
  await ask(other.apiKey)
  await recordedRow(other)
  return [(await keyRow()).last_used_at]
}

async function recordedRow(of = team) {
  return vi.waitUntil(async () => {
    const row = await keyRow(of)
    return row.last_used_at && row
  }, 20_000)
}

async function keyRow({ keyId }: Team = team) {
  const { rows } = await platform.db.query('select * from api_key where id = $1', [keyId])
  return rows[0]
}

async function setUsed(ago: string): Promise<Date> {
  const { rows } = await platform.db.query(
    'update api_key set last_used_at = now() - $2::interval where id = $1 returning last_used_at',
    [team.keyId, ago],
  )
  return rows[0].last_used_at
}

function ask(apiKey: string, query = '{ team { id } }') {
  return platform.post('/v1/graphql', { query }, { authorization: `Bearer ${apiKey}` })
}

const PAYMENT = '/api/v2/minikit/transaction/txn_1?app_id=app_1&type=payment'

function askForPayment(apiKey: string) {
  return fetch(`${platform.baseUrl}${PAYMENT}`, { headers: { authorization: `Bearer ${apiKey}` } })
}
