import { expect, test } from 'vitest'
import {
  app,
  makeApp4,
  platform,
  result4,
  sessionResult4,
  setTheScene4,
  verify4,
} from '../../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

test('a session proof gets the public fields, is verified again, and counts nobody', async () => {
  const body = await sessionResult4()
  const before = await countAll()
  const expected = {
    success: true,
    session_id: body.session_id,
    environment: 'staging',
    results: [
      {
        identifier: 'proof_of_human',
        sessionId: body.session_id,
        success: true,
        nullifier: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ],
    message: 'Session proof verified successfully',
  }
  for (let times = 1; times <= 2; times += 1) {
    const reply = await verify4(body)
    expect([reply.status, reply.body]).toEqual([200, expected])
  }
  expect(await countAll()).toBe(before)
})

test('a session may be named by its commitment alone', async () => {
  const body = await sessionResult4()
  const session_id = `0x${body.session_id.slice('session_'.length, 'session_'.length + 64)}`
  expect((await verify4({ ...body, session_id })).body).toMatchObject({ success: true, session_id })
})

test('a proof of another session is refused, with the session in the result', async () => {
  const [first, second] = [
    await sessionResult4({ nullifier: 1n }),
    await sessionResult4({ nullifier: 2n }),
  ]
  const reply = await verify4({ ...first, session_id: second.session_id })
  expect(reply).toMatchObject({
    status: 400,
    body: {
      code: 'all_verifications_failed',
      results: [{ success: false, code: 'invalid_proof', sessionId: second.session_id }],
    },
  })
})

test.each([
  ['an action', { action: 'vote' }, 'action'],
  ['no nonce', { nonce: undefined }, 'nonce'],
  ['a short session id', { session_id: 'session_12' }, 'session_id'],
  ['the commitment 0', { session_id: '0x0' }, 'session_id'],
  ['a commitment above the field', { session_id: `0x${'f'.repeat(64)}` }, 'session_id'],
  ['a long session id', { session_id: `session_${'1'.repeat(300)}` }, 'session_id'],
])('a session result with %s gets validation_error', async (_name, change, attribute) => {
  const reply = await verify4({ ...(await sessionResult4()), ...change })
  expect(reply).toMatchObject({ status: 400, body: { code: 'validation_error', attribute } })
})

test('a session proof sent as a uniqueness proof is refused, also with its words in the other fields', async () => {
  const { session_id, ...body } = await sessionResult4()
  const asUniqueness = { ...body, action: 'vote' }
  expect((await verify4(asUniqueness)).body).toMatchObject({
    code: 'validation_error',
    attribute: 'responses.0.nullifier',
  })
  const responses = body.responses.map(({ session_nullifier, ...response }) => ({
    ...response,
    nullifier: session_nullifier[0],
  }))
  expect((await verify4({ ...asUniqueness, responses })).body).toMatchObject({
    results: [{ code: 'invalid_proof' }],
  })
})

test('a uniqueness proof sent as a session proof is refused, also with its words in the other fields', async () => {
  const { action, ...body } = await result4()
  const { session_id } = await sessionResult4()
  const asSession = { ...body, session_id }
  expect((await verify4(asSession)).body).toMatchObject({
    code: 'validation_error',
    attribute: 'responses.0.session_nullifier',
  })
  const withAction = (text: string) => ({
    ...asSession,
    responses: body.responses.map(({ nullifier, ...response }) => ({
      ...response,
      session_nullifier: [nullifier, text],
    })),
  })
  for (const [text, code] of [
    ['0x5', 'invalid_public_input'],
    [`0x02${'0'.repeat(62)}`, 'invalid_proof'],
    ['five', 'invalid_format'],
  ] as const)
    expect((await verify4(withAction(text))).body).toMatchObject({ results: [{ code }] })
})

test('an unknown app and an app of another rp are refused', async () => {
  const body = await sessionResult4()
  expect((await verify4(body, 'app_none')).status).toBe(404)
  expect((await verify4(body, await makeApp4())).body).toMatchObject({
    results: [{ code: 'invalid_proof' }],
  })
  expect((await verify4(body, app)).status).toBe(200)
})

async function countAll(): Promise<number> {
  const { rows } = await platform.db.query('select count(*)::int as n from nullifier')
  return rows[0].n
}
