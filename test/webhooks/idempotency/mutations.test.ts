import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashToken } from '../../../lib/secrets/secret.ts'
import { sendAndBreak } from '../../support/webhooks/broken-connection.ts'
import { paymentOf } from '../../support/webhooks/payments.ts'
import { peopleOf, someoneWaits } from '../../support/webhooks/people.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { serviceProcess } from '../../support/webhooks/service-process.ts'
import {
  post,
  type Reply,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string

beforeAll(async () => {
  platform = await startTestPlatform()
  team = await platform.team()
  app = await platform.app({ team })
})
afterAll(() => platform.stop())

const ENTER = `mutation Enter($payment: transaction_insert_input!) {
  insert_transaction_one(object: $payment) { id created_at }
}`
const RENAME = `mutation ($app: String!, $name: String!) {
  update_app_by_pk(pk_columns: {id: $app}, _set: {name: $name}) { name updated_at }
}`
const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}
const UNDER_WAY = { status: 409, body: { code: 'request_under_way' } }

describe('a mutation that is repeated with its key', () => {
  test('is answered as it first was, and carried out once', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    const first = await enter(payment, key)
    expect(first).toMatchObject({ status: 200, body: { data: { insert_transaction_one: {} } } })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    for (let i = 0; i < 2; i++) {
      const again = await enter(payment, key)
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
  })

  test('is answered when the connection broke, whenever that was', async () => {
    const payments = Array.from({ length: 40 }, (_, index) => ({
      payment: paymentOf(app),
      headers: { ...bearer(), ...newKey() },
      afterMs: (index * 50) / 40,
    }))
    await Promise.all(
      payments.map(({ payment, ...how }) =>
        sendAndBreak(`${platform.baseUrl}/v1/graphql`, { body: entering(payment), ...how }),
      ),
    )
    const replies = await Promise.all(
      payments.map(({ payment, headers }) => untilAnswered(() => enter(payment, headers))),
    )
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: { data: { insert_transaction_one: {} } } })
    const replayed = replies.filter(({ headers }) => headers.has('idempotent-replayed'))
    expect(replayed.length).toBeGreaterThan(0)
  })

  test('is carried out once when twenty come at once, to two instances', async () => {
    const other = await platform.anotherInstance()
    const key = newKey()
    const variables = { app, name: 'At once' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        untilAnswered(() => send({ query: RENAME, variables }, key, index % 2 ? other : platform)),
      ),
    )
    await other.stop()
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(replies.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  })

  test('is told to wait while the first is under way', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    await platform.db.query('begin')
    await platform.db.query('lock table transaction in exclusive mode')
    const first = enter(payment, key)
    await someoneWaits(platform)
    const meanwhile = await enter(payment, key)
    expect(meanwhile).toMatchObject(UNDER_WAY)
    expect(meanwhile.headers.get('retry-after')).toBe('1')
    expect(await enter(paymentOf(app), key)).toMatchObject(REUSED)
    await platform.db.query('commit')
    const { body } = await first
    expect((await enter(payment, key)).body).toEqual(body)
  })

  test('may come in a batch', async () => {
    const [batch, key] = [[entering(paymentOf(app)), entering(paymentOf(app))], newKey()]
    const first = await send(batch, key)
    expect(first.body).toHaveLength(2)
    expect((await send(batch, key)).body).toEqual(first.body)
  })

  test('may come from a person, with another token', async () => {
    const { email, team: own } = await peopleOf(platform)()
    const query = `mutation { insert_app_one(object: {name: "A", team_id: "${own}"}) { id } }`
    const [key, token] = [newKey(), await tokenOf(email)]
    const first = await send({ query }, { ...key, ...token })
    expect(first).toMatchObject({ status: 200, body: { data: { insert_app_one: {} } } })
    platform.clock.aheadMs = 2_000
    const other = await tokenOf(email)
    platform.clock.aheadMs = 0
    expect(other).not.toEqual(token)
    expect((await send({ query }, { ...key, ...other })).body).toEqual(first.body)
  })

  test('has a new try when the first was refused', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    const refused = await enter({ ...payment, token_amount: '-1' }, key)
    expect(Object(refused.body).errors).toHaveLength(1)
    expect(await rowsOf(key)).toEqual([])
    expect(await enter(payment, key)).toMatchObject({ body: { data: {} } })
  })

  test('is answered by what comes of the first, even if that was too late for it', async () => {
    const hasty = await platform.anotherInstance({ HASURA_TIMEOUT_MS: '1000' })
    const [payment, key] = [paymentOf(app), newKey()]
    await platform.db.query('begin')
    await platform.db.query('lock table transaction in exclusive mode')
    expect(await enter(payment, key, hasty)).toMatchObject({ status: 503 })
    expect(await enter(payment, key)).toMatchObject(UNDER_WAY)
    await platform.db.query('commit')
    const again = await untilAnswered(() => enter(payment, key))
    expect(again).toMatchObject({ body: { data: { insert_transaction_one: {} } } })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    await hasty.stop()
  })

  test('whose answer is long is not carried out again either', async () => {
    const key = newKey()
    const objects = Array.from({ length: 150 }, () => paymentOf(app))
    const query = `mutation ($objects: [transaction_insert_input!]!) {
      insert_transaction(objects: $objects) { returning { id transaction_hash } }
    }`
    const first = await send({ query, variables: { objects } }, key)
    expect(Object(first.body).data.insert_transaction.returning).toHaveLength(150)
    expect(await send({ query, variables: { objects } }, key)).toMatchObject({
      status: 409,
      body: { code: 'answer_not_kept' },
    })
  })
})

describe('a key', () => {
  test('is refused with another request', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    await enter(payment, key)
    expect(await enter({ ...payment, reference: 'other' }, key)).toMatchObject(REUSED)
  })

  test('is another key for another team', async () => {
    const other = await platform.team()
    const id = await platform.app({ team: other })
    const key = newKey()
    await enter(paymentOf(app), key)
    const reply = await enter(paymentOf(id), { ...key, ...bearer(other) })
    expect(reply).toMatchObject({ status: 200, body: { data: {} } })
    expect(reply.headers.has('idempotent-replayed')).toBe(false)
  })

  test('answers nobody whose API key was revoked', async () => {
    const own = await platform.team()
    const [payment, headers] = [paymentOf(await platform.app({ team: own })), bearer(own)]
    const key = newKey()
    await enter(payment, { ...key, ...headers })
    await platform.db.query('update api_key set is_active = false where id = $1', [own.keyId])
    expect(await enter(payment, { ...key, ...headers })).toMatchObject({ status: 401 })
    expect(await enter(payment, { ...key, authorization: 'Bearer x' })).toMatchObject({
      status: 401,
    })
  })

  test('means nothing with a query, which changes nothing', async () => {
    const key = newKey()
    const query =
      'query Read { app { id } } mutation Write { delete_redirect(where: {}) { affected_rows } }'
    const first = await send({ query, operationName: 'Read' }, key)
    expect(first.status).toBe(200)
    const added = await platform.app({ team })
    const again = await send({ query, operationName: 'Read' }, key)
    expect(JSON.stringify(again.body)).toContain(added)
    expect(await rowsOf(key)).toEqual([])
  })

  test('that is malformed is refused', async () => {
    expect(await enter(paymentOf(app), { 'idempotency-key': '"' })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'idempotency-key' },
    })
  })

  test('is forgotten after a day', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    await enter(payment, key)
    await age(key, '1 day 1 second')
    const again = await enter(payment, key)
    expect(Object(again.body).errors[0].extensions.code).toBe('constraint-violation')
    const first = await enter(paymentOf(app), key)
    expect(first).toMatchObject({ body: { data: {} } })
    await age(key, '1 day 1 second')
    const removed = await platform.post(
      '/api/_expire',
      {},
      {
        authorization: `Bearer ${INTERNAL_SECRET}`,
      },
    )
    expect(removed).toMatchObject({ body: { deleted: { answered_requests: 1 } } })
    expect(await rowsOf(key)).toEqual([])
  })

  test('is stored with an answer that only the service can read', async () => {
    const key = newKey()
    const { body } = await enter(paymentOf(app), key)
    const [row] = await rowsOf(key)
    expect(row.is_answered).toBe(true)
    expect(row.answer_encrypted.length).toBeGreaterThan(50)
    for (const text of [
      JSON.stringify(row),
      Buffer.from(row.answer_encrypted, 'base64url').toString(),
    ])
      expect(text).not.toContain(Object(body).data.insert_transaction_one.id)
  })

  test('is not carried out again when the secret that sealed its answer is gone', async () => {
    const other = await platform.anotherInstance({ SIGNING_KEY_SECRET: 'another secret'.repeat(3) })
    const [payment, key] = [paymentOf(app), newKey()]
    await enter(payment, key)
    const again = await enter(payment, key, other)
    await other.stop()
    expect(again).toMatchObject({ status: 409, body: { code: 'answer_not_kept' } })
  })

  test('counts against the quota of its team, and of no other', async () => {
    const other = await platform.team()
    const id = await platform.app({ team: other })
    await platform.db.query("update quota set most = 3 where kind = 'answered_request'")
    const keys = Array.from({ length: 8 }, newKey)
    const [kept = paymentOf(id)] = [paymentOf(id)]
    const first = await enter(kept, { ...keys[0], ...bearer(other) })
    const replies = await Promise.all(
      keys
        .slice(1)
        .map((key) => untilAnswered(() => enter(paymentOf(id), { ...key, ...bearer(other) }))),
    )
    const full = replies.filter(({ status }) => status !== 200)
    expect(full).toHaveLength(5)
    for (const reply of full)
      expect(reply).toMatchObject({ status: 400, body: { code: 'quota_exceeded' } })
    const again = await enter(kept, { ...keys[0], ...bearer(other) })
    await platform.db.query("update quota set most = 10000 where kind = 'answered_request'")
    expect(again.body).toEqual(first.body)
  })
})

test('a request without a key is carried out each time, as before', async () => {
  const payment = paymentOf(app)
  expect(await enter(payment, {})).toMatchObject({ body: { data: {} } })
  expect(Object((await enter(payment, {})).body).errors).toHaveLength(1)
})

test('what a killed service was carrying out may be repeated after a minute', async () => {
  const service = await serviceProcess(platform)
  const [payment, key] = [paymentOf(app), newKey()]
  await platform.db.query('begin')
  await platform.db.query('lock table transaction in exclusive mode')
  const lost = enter(payment, key, service).catch(() => null)
  await someoneWaits(platform)
  await service.kill()
  await platform.db.query('commit')
  expect(await lost).toBeNull()
  expect(await enter(payment, key)).toMatchObject(UNDER_WAY)
  await age(key, '61 seconds')
  const repeated = await enter(payment, key)
  const { data, errors } = Object(repeated.body)
  // Whether it was carried out before the service died, nobody knows: if so, its reference is taken.
  expect(data?.insert_transaction_one.id ?? errors[0].extensions.code).toMatch(
    /^(txn_[0-9a-f]{32}|constraint-violation)$/,
  )
  const { rowCount } = await platform.db.query('select from transaction where reference = $1', [
    payment.reference,
  ])
  expect(rowCount).toBe(1)
})

function newKey() {
  return { 'idempotency-key': `"${randomUUID()}"` }
}

function bearer({ apiKey } = team) {
  return { authorization: `Bearer ${apiKey}` }
}

function entering(payment: object) {
  return { query: ENTER, variables: { payment } }
}

type Headers = Record<string, string>

function send(body: object, headers: Headers, { baseUrl }: { baseUrl: string } = platform) {
  return post(`${baseUrl}/v1/graphql`, body, { ...bearer(), ...headers })
}

function enter(payment: object, headers: Headers, where?: { baseUrl: string }) {
  return send(entering(payment), headers, where)
}

/** Repeats a request as long as the first is under way. */
function untilAnswered(call: () => Promise<Reply>): Promise<Reply> {
  return vi.waitFor(
    async () => {
      const reply = await call()
      expect([409, 429]).not.toContain(reply.status)
      return reply
    },
    { timeout: 60_000, interval: 50 },
  )
}

async function tokenOf(email: string): Promise<Headers> {
  const { body } = await platform.post('/api/v1/login', { email, password: 'difference' })
  return { authorization: `Bearer ${Object(body).token}` }
}

type Keyed = { 'idempotency-key': string }

function hashOf(key: Keyed): string {
  return hashToken(key['idempotency-key'].replaceAll('"', ''))
}

async function rowsOf(key: Keyed) {
  const { rows } = await platform.db.query('select * from answered_request where key_hash = $1', [
    hashOf(key),
  ])
  return rows
}

function age(key: Keyed, interval: string) {
  return platform.db.query(
    'update answered_request set claimed_at = now() - $1::interval where key_hash = $2',
    [interval, hashOf(key)],
  )
}
