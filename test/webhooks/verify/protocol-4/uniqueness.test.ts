import { describe, expect, test } from 'vitest'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import {
  app,
  countsOf,
  makeAction4,
  makeApp4,
  nullifierOf,
  platform,
  response4,
  result4,
  setTheScene4,
  verify4,
} from '../../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

const LIMIT = { status: 400, body: { code: 'max_verifications_reached' } }

describe('a person with a valid proof of protocol 4.0 is counted', () => {
  test.each(['app id', 'rp id', 'rp id in upper case'])(
    'a result sent to the %s of the app is counted, and the response has the public fields',
    async (spelling) => {
      const body = await result4()
      const rpId = rpIdOfApp(app)
      const ids: Record<string, string> = { 'app id': app, 'rp id': rpId }
      const id = ids[spelling] ?? `rp_${rpId.slice(3).toUpperCase()}`
      const nullifier = nullifierOf(body)
      expect(await verify4(body, id)).toMatchObject({ status: 200 })
      expect(await countsOf()).toMatchObject({ [nullifier]: 1 })
    },
  )

  test('the response has exactly the fields of the public service', async () => {
    const body = await result4()
    const nullifier = nullifierOf(body)
    const reply = await verify4(body)
    expect(reply.body).toEqual({
      success: true,
      action: 'vote',
      nullifier,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/),
      environment: 'staging',
      results: [{ identifier: 'proof_of_human', success: true, nullifier }],
      message: 'Proof verified successfully',
    })
  })

  test('one valid proof is enough, and the results name the reason for each other proof', async () => {
    const common = { nonce: 77n, nullifier: 77n }
    const [valid, unknownRoot] = [await response4(common), await response4({ ...common, root: 1n })]
    const body = await result4({ nonce: 77n }, { responses: [unknownRoot, valid] })
    const reply = await verify4(body)
    expect(reply).toMatchObject({
      status: 200,
      body: {
        nullifier: nullifierOf(body),
        results: [{ success: false, code: 'invalid_root' }, { success: true }],
      },
    })
    expect(await countsOf()).toMatchObject({ [nullifierOf(body)]: 1 })
  })

  test('a result with the valid proofs of two people is refused, and counts neither', async () => {
    const nonce = 78n
    const [first, second] = [await response4({ nonce }), await response4({ nonce })]
    const body = await result4({ nonce }, { responses: [first, second] })
    expect(await verify4(body)).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'responses' },
    })
    const counts = await countsOf()
    expect(counts).not.toHaveProperty(nullifierOf({ responses: [first] }))
    expect(counts).not.toHaveProperty(nullifierOf({ responses: [second] }))
  })

  test('the same nullifier may be spelled in several ways', async () => {
    const common = { nonce: 78n, nullifier: 0xabcn }
    const [first, second] = [await response4(common), await response4(common)]
    const responses = [first, { ...second, nullifier: `0x${'ABC'.padStart(64, '0')}` }]
    expect((await verify4(await result4(common, { responses }))).status).toBe(200)
  })

  test('numbers may be digits, and words decimal', async () => {
    const body = await result4()
    const responses = body.responses.map((response) => ({
      ...response,
      issuer_schema_id: String(response.issuer_schema_id),
      expires_at_min: String(response.expires_at_min),
      proof: response.proof.map((word) => BigInt(word).toString()),
    }))
    expect((await verify4({ ...body, responses })).status).toBe(200)
  })
})

describe('a person is counted as often as the action allows', () => {
  test('a repeated person gets max_verifications_reached with a limit of 1', async () => {
    const nullifier = 501n
    expect((await verify4(await result4({ nullifier }))).status).toBe(200)
    expect(await verify4(await result4({ nullifier }))).toMatchObject(LIMIT)
  })

  test.each([2, 0])(
    'a limit of %i is the number of verifications, where 0 is no limit',
    async (n) => {
      const action = `limit-${n}`
      await makeAction4({ action, max_verifications: n })
      const nullifier = 502n
      for (let times = 1; times <= 2; times += 1)
        expect((await verify4(await result4({ action, nullifier }))).status).toBe(200)
      const third = await verify4(await result4({ action, nullifier }))
      expect(third.status).toBe(n === 0 ? 200 : 400)
    },
  )

  test('fifty simultaneous requests with the same proof count one verification', async () => {
    const body = await result4()
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify4(body)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await countsOf()).toMatchObject({ [nullifierOf(body)]: 1 })
  })

  test('with allows_repeat a repeated person gets success, the first time and the message, and no count', async () => {
    const action = 'repeat'
    await makeAction4({ action, allows_repeat: true })
    const body = await result4({ action })
    const first = await verify4(body)
    expect(first).toMatchObject({ status: 200, body: { message: 'Proof verified successfully' } })
    const replies = await Promise.all(Array.from({ length: 5 }, () => verify4(body)))
    for (const reply of replies)
      expect([reply.status, reply.body]).toEqual([
        200,
        { ...Object(first.body), message: 'Proof verified successfully (nullifier reuse)' },
      ])
    expect(await countsOf(action)).toEqual({ [nullifierOf(body)]: 1 })
    const forged = await result4({ action, nullifier: BigInt(nullifierOf(body)), root: 1n })
    expect((await verify4(forged)).body).toMatchObject({ code: 'all_verifications_failed' })
  })
})

describe('an unknown action is created only by choice of the app', () => {
  test('an app without creates_actions refuses an unknown action', async () => {
    const body = await result4({ action: 'unknown' })
    expect((await verify4(body)).body).toMatchObject({ code: 'invalid_action' })
  })

  test('ten simultaneous first proofs create one action with protocol 4.0, limit 1 and no description', async () => {
    const id = await creatingApp()
    const bodies = await Promise.all(
      Array.from({ length: 10 }, () =>
        result4({ appId: id, action: 'new' }, { action_description: 'Written by a browser' }),
      ),
    )
    const replies = await Promise.all(bodies.map((body) => verify4(body, id)))
    for (const { status } of replies) expect(status).toBe(200)
    expect(await actionsOf(id)).toEqual([
      {
        action: 'new',
        name: 'new',
        description: '',
        protocol: '4.0',
        max_verifications: 1,
        allows_repeat: false,
        credentials: ['proof_of_human'],
      },
    ])
    expect(Object.keys(await countsOf('new', id))).toHaveLength(10)
  })

  test('an invalid proof creates no action', async () => {
    const id = await creatingApp()
    await verify4(await result4({ appId: id, action: 'new', root: 1n }), id)
    expect(await actionsOf(id)).toEqual([])
  })

  test("the team's quota of actions holds, and the refused request leaves no action and no count", async () => {
    const id = await creatingApp()
    await platform.db.query("update quota set most = 0 where kind = 'action'")
    const body = await result4({ appId: id, action: 'new' })
    expect((await verify4(body, id)).body).toMatchObject({
      code: 'invalid_action',
      detail: expect.stringContaining('Quota: at most 0 actions in a team.'),
    })
    await platform.db.query("update quota set most = 2000 where kind = 'action'")
    expect(await actionsOf(id)).toEqual([])
  })

  test.each(['a\0', '\u202e', 'x'.repeat(256), "'; drop table action; --"])(
    'the action %j is created with its text, or refused',
    async (action) => {
      const id = await creatingApp()
      const { status, body } = await verify4(await result4({ appId: id, action }), id)
      if (action.includes('\0')) expect(body).toMatchObject({ code: 'invalid_action' })
      else expect(status).toBe(200)
    },
  )

  async function creatingApp() {
    const id = await makeApp4()
    await platform.db.query('update app set creates_actions = true where id = $1', [id])
    return id
  }

  async function actionsOf(id: string) {
    const { rows } = await platform.db.query(
      `select action, name, description, protocol, max_verifications, allows_repeat, credentials
      from action where app_id = $1 and action <> ''`,
      [id],
    )
    return rows
  }
})

describe('a retry with an idempotency key gets the first response', () => {
  test('a retry gets the same results, and is counted once', async () => {
    const common = { nonce: 79n, nullifier: 79n }
    const responses = [await response4({ ...common, root: 1n }), await response4(common)]
    const body = await result4(common, { responses })
    const key = { 'idempotency-key': 'first' }
    const first = await verify4(body, app, key)
    expect(first.status).toBe(200)
    const retries = await Promise.all(Array.from({ length: 5 }, () => verify4(body, app, key)))
    for (const retry of retries) {
      expect([retry.status, retry.body]).toEqual([200, first.body])
      expect(retry.headers.get('idempotent-replayed')).toBe('true')
    }
  })

  test('ten simultaneous requests with a key get the same response', async () => {
    const body = await result4()
    const key = { 'idempotency-key': 'second' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => verify4(body, app, key)))
    for (const { status, body: reply } of replies)
      expect([status, reply]).toEqual([200, replies[0]?.body])
    expect(await countsOf()).toMatchObject({ [nullifierOf(body)]: 1 })
  })

  test('another result with the same key gets 422', async () => {
    const key = { 'idempotency-key': 'third' }
    expect((await verify4(await result4(), app, key)).status).toBe(200)
    expect((await verify4(await result4(), app, key)).status).toBe(422)
  })
})
