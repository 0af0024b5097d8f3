import { beforeAll, describe, expect } from 'vitest'
import { hash, insert, paymentOf, query } from '../../support/webhooks/payments.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

type Team = Awaited<ReturnType<TestPlatform['team']>>

let platform: TestPlatform
let team: Team
let stranger: Team
let app: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  stranger = await platform.team()
  app = await platform.app({ team })
})

describe('an app enters', () => {
  test('a payment, which is pending from the start', async () => {
    const payment = paymentOf(app)
    const { type: _type, ...told } = payment
    const id = await insert(platform, team.apiKey, payment)
    expect(id).toMatch(/^txn_[0-9a-f]{32}$/)
    expect(await query(platform, { id, app, key: team.apiKey })).toMatchObject({
      status: 200,
      body: {
        ...told,
        transaction_status: 'pending',
        from: '',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.?\d*\+00:00$/),
      },
    })
  })

  test('a transaction without token, amount or receiver', async () => {
    const { reference, transaction_hash } = paymentOf(app)
    const id = await insert(platform, team.apiKey, {
      app_id: app,
      type: 'transaction',
      chain: 'local',
      reference,
      transaction_hash,
    })
    const reply = await query(platform, { id, app, key: team.apiKey, type: 'transaction' })
    expect(reply.body).toMatchObject({ reference, token: '', token_amount: '', to: '' })
  })

  test.each([
    ['a token', { token: 'USDCE' }],
    ['an amount', { token_amount: '1' }],
    ['a receiver', { to: paymentOf('').to }],
  ])('no other transaction with %s, which nothing would compare', async (_name, fields) => {
    const other = { type: 'transaction', token: '', token_amount: '', to: '', ...fields }
    const refused = await insert.raw(platform, team.apiKey, { ...paymentOf(app), ...other })
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
  })

  test.each([
    ['without a reference', { reference: '' }],
    ['with half a hash', { transaction_hash: '0x1234' }],
    ['with a fraction', { token_amount: '1.5' }],
    ['with a negative amount', { token_amount: '-1' }],
    ['with an amount in hex', { token_amount: '0x10' }],
    ['of nothing', { token_amount: '0' }],
    ['with a leading zero', { token_amount: '01' }],
    ['without an amount', { token_amount: '' }],
    ['to no address', { to: 'alice.eth' }],
    ['without a token', { token: '' }],
    ['of another type', { type: 'gift' }],
  ])('no payment %s', async (_name, fields) => {
    const refused = await insert.raw(platform, team.apiKey, { ...paymentOf(app), ...fields })
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
  })

  test.each([
    'transaction_status',
    'from',
    'sender',
    'timestamp',
    'block_timestamp',
    'failure_reason',
    'is_final',
    'team_id',
    'id',
  ])('nothing about its %s', async (column) => {
    const refused = await insert.raw(platform, team.apiKey, {
      ...paymentOf(app),
      [column]: column === 'is_final' ? true : 'mined',
    })
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
  })

  test('nothing for the app of another team', async () => {
    const refused = await insert.raw(platform, stranger.apiKey, paymentOf(app))
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
  })

  test('a reference once; another app may have the same', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const again = { ...payment, transaction_hash: hash() }
    expect(await insert.raw(platform, team.apiKey, again)).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    })
    const other = await platform.app({ team: stranger })
    await insert(platform, stranger.apiKey, { ...again, app_id: other })
  })

  test('and nobody else reads it', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const read = (apiKey: string) =>
      platform.post(
        '/v1/graphql',
        {
          query: `{ transaction(where: {reference: {_eq: "${payment.reference}"}}) { reference } }`,
        },
        { authorization: `Bearer ${apiKey}` },
      )
    expect((await read(team.apiKey)).body).toEqual({
      data: { transaction: [{ reference: payment.reference }] },
    })
    expect((await read(stranger.apiKey)).body).toEqual({ data: { transaction: [] } })
  })
})

describe('the status is told', () => {
  test('by the id and by the hash, however it is spelled', async () => {
    const payment = paymentOf(app)
    const id = await insert(platform, team.apiKey, payment)
    const spelled = `0x${payment.transaction_hash.slice(2).toUpperCase()}`
    for (const name of [id, payment.transaction_hash, spelled]) {
      const reply = await query(platform, { id: name, app, key: team.apiKey })
      expect(reply).toMatchObject({ status: 200, body: { reference: payment.reference } })
    }
  })

  test.each(['order-7', 'Größe/7?&#%+ 8', `txn_${'0'.repeat(32)}`, 'x'.repeat(128)])(
    'by the app’s own reference, such as %s',
    async (reference) => {
      await insert(platform, team.apiKey, paymentOf(app))
      await insert(platform, team.apiKey, { ...paymentOf(app), reference })
      const other = await platform.app({ team })
      await insert(platform, team.apiKey, { ...paymentOf(other), reference })
      expect(await queryByReference({ reference })).toMatchObject({
        status: 200,
        body: { reference, app_id: app },
      })
    },
  )

  test('by the id alone, when a reference is sent as well', async () => {
    const [one, other] = [paymentOf(app), paymentOf(app)]
    const id = await insert(platform, team.apiKey, one)
    await insert(platform, team.apiKey, other)
    const search = `app_id=${app}&type=payment&reference=${other.reference}`
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction/${id}?${search}`, {
      headers: { authorization: `Bearer ${team.apiKey}` },
    })
    expect(await response.json()).toMatchObject({ reference: one.reference })
  })

  test('with the fields of the specification, and the time of its block', async () => {
    const id = await insert(platform, team.apiKey, paymentOf(app))
    const { body } = await query(platform, { id, app, key: team.apiKey })
    expect(Object.keys(Object(body)).toSorted()).toEqual(
      'app_id block_timestamp chain from reference timestamp to token token_amount transaction_hash transaction_status'.split(
        ' ',
      ),
    )
  })

  test('to many at one time, to each their own', async () => {
    const mine = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const payment = paymentOf(app)
        return { payment, id: await insert(platform, team.apiKey, payment) }
      }),
    )
    const replies = await Promise.all(
      mine.flatMap(({ id }) => [
        query(platform, { id, app, key: team.apiKey }),
        query(platform, { id, app, key: stranger.apiKey }),
      ]),
    )
    replies.forEach(({ status, body }, i) => {
      if (i % 2) expect(status).toBe(403)
      else expect(Object(body).reference).toBe(mine[i / 2]?.payment.reference)
    })
  })
})

describe('it is refused', () => {
  let id: string
  beforeAll(async () => {
    id = await insert(platform, team.apiKey, paymentOf(app))
  })

  test.each([
    ['no key', undefined],
    ['no bearer', 'Basic abc'],
    ['no API key', 'Bearer abc'],
    ['a key of nobody', `Bearer api_${btoa(`key_${'0'.repeat(32)}:secret`)}`],
  ])('to %s, whatever else is wrong', async (_name, authorization) => {
    for (const search of ['', `?app_id=${app}&type=payment`]) {
      const response = await fetch(
        `${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`,
        authorization ? { headers: { authorization } } : {},
      )
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'unauthenticated', attribute: null })
    }
  })

  test('to a key with the secret of another', async () => {
    const [own, other] = [team, stranger].map(({ apiKey }) => atob(apiKey.slice(4)).split(':'))
    const key = `api_${btoa(`${own?.[0]}:${other?.[1]}`).replace(/=+$/, '')}`
    expect(await query(platform, { id, app, key })).toMatchObject({ status: 401 })
  })

  test('to a key from the moment that it is revoked', async () => {
    const revoked = await platform.team()
    const its = await platform.app({ team: revoked })
    const payment = await insert(platform, revoked.apiKey, paymentOf(its))
    const ask = () => query(platform, { id: payment, app: its, key: revoked.apiKey })
    expect((await ask()).status).toBe(200)
    await platform.db.query('update api_key set is_active = false where id = $1', [revoked.keyId])
    expect((await ask()).status).toBe(401)
  })

  test.each([
    ['', 'required', 'app_id'],
    ['?type=payment', 'required', 'app_id'],
    ['?app_id=&type=payment', 'required', 'app_id'],
    ['?app_id=app_1', 'required', 'type'],
    ['?app_id=app_1&type=', 'required', 'type'],
    ['?app_id=app_1&type=gift', 'invalid_request', 'type'],
    ['?app_id=app_1&type=PAYMENT', 'invalid_request', 'type'],
  ])('for the query "%s"', async (search, code, attribute) => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`, {
      headers: { authorization: `Bearer ${team.apiKey}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code, attribute })
  })

  test.each(['app_1', "app_'--", '%00', `app_${'0'.repeat(100)}`])(
    'for the app %s, which is not the team’s',
    async (name) => {
      const reply = await query(platform, { id, app: name, key: team.apiKey })
      expect(reply).toMatchObject({
        status: 403,
        body: { code: 'invalid_app', attribute: 'app_id' },
      })
    },
  )

  test('for an app of another team, alike', async () => {
    const reply = await query(platform, { id, app, key: stranger.apiKey })
    expect(reply).toMatchObject({ status: 403, body: { code: 'invalid_app', attribute: 'app_id' } })
  })

  test.each(['txn_1', '%00', '0x', hash(), '__proto__'])(
    'for %s, which is no transaction of the app',
    async (name) => {
      const reply = await query(platform, { id: name, app, key: team.apiKey })
      const body = { code: 'not_found', attribute: 'transaction_id' }
      expect(reply).toMatchObject({ status: 404, body })
    },
  )

  test.each([
    ['an unknown reference', { reference: 'none' }, 404, 'not_found', 'reference'],
    ['one that no database stores', { reference: 'a\0' }, 404, 'not_found', 'reference'],
    ['one of another type', { type: 'transaction' }, 404, 'not_found', 'reference'],
    ['an empty one', { reference: '' }, 400, 'required', 'reference'],
    ['an app of nobody', { app_id: 'app_1' }, 403, 'invalid_app', 'app_id'],
  ])('for %s', async (_name, fields, status, code, attribute) => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const asked = { reference: payment.reference, ...fields }
    expect(await queryByReference(asked)).toMatchObject({ status, body: { code, attribute } })
  })

  test('without an id, a hash or a reference', async () => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction?app_id=${app}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'required', attribute: 'transaction_id' })
  })

  test('to another team by its reference, alike', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    for (const reference of [payment.reference, 'none'])
      expect(await queryByReference({ reference }, stranger.apiKey)).toMatchObject({
        status: 403,
        body: { code: 'invalid_app' },
      })
  })

  test('as a transaction when it is a payment', async () => {
    const reply = await query(platform, { id, app, key: team.apiKey, type: 'transaction' })
    expect(reply).toMatchObject({ status: 404 })
  })
})

/** Asks for the status of the app's transaction with this name. */
async function queryByReference(fields: Record<string, string>, key = team.apiKey) {
  const search = new URLSearchParams({ app_id: app, type: 'payment', ...fields })
  const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction?${search}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: response.status, body: await response.json() }
}

test('a final status never changes, whoever writes', async () => {
  const id = await insert(platform, team.apiKey, paymentOf(app))
  await platform.db.query(
    "update transaction set transaction_status = 'mined', is_final = true where id = $1",
    [id],
  )
  for (const change of ["transaction_status = 'pending', is_final = false", 'is_final = false'])
    await expect(
      platform.db.query(`update transaction set ${change} where id = $1`, [id]),
    ).rejects.toMatchObject({ code: '23000' })
})
