import { describe, expect, test } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { r } from '../../../lib/proof/field.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'
import type { Reply } from '../../support/webhooks/start-platform.ts'
import {
  app,
  platform,
  request,
  setTheScene,
  team,
  verify,
} from '../../support/webhooks/verification-scene.ts'

setTheScene()

describe('a person is counted as one person', () => {
  test('every spelling of a nullifier counts as the same person', async () => {
    const nullifier = 0x00abcdefn
    const body = await request({ nullifier })
    const digits = nullifier.toString(16)
    const spellings = [
      digits,
      digits.toUpperCase(),
      `0x${digits}`,
      `0x${digits.toUpperCase()}`,
      digits.padStart(64, '0'),
      `0x${digits.padStart(64, '0')}`,
      `0x00${digits}`,
    ]
    const replies = await Promise.all(
      spellings.map((nullifier_hash) => verify({ ...body, nullifier_hash })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...spellings.slice(1).map(() => 400),
    ])
    expect(await count(nullifier)).toBe(1)
  })

  test('a nullifier plus a multiple of the modulus is rejected', async () => {
    const nullifier = 3n
    const body = await request({ nullifier })
    await verify(body)
    for (const k of [1n, 2n, 3n, 4n, 5n])
      expect(
        await verify({ ...body, nullifier_hash: formatField(nullifier + k * r) }),
      ).toMatchObject({ status: 400, body: { code: 'invalid_format' } })
  })

  test.each([1, 2, 5])(
    '200 simultaneous requests with a limit of %i succeed exactly that often',
    async (limit) => {
      const action = `race-${limit}`
      await platform.action(app, { action, max_verifications: limit })
      const body = await request({ action, nullifier: 5n })
      const replies = await Promise.all(Array.from({ length: 200 }, () => verifyPatiently(body)))
      const rejections = replies.filter(({ status }) => status !== 200)
      expect(replies.length - rejections.length).toBe(limit)
      for (const reply of rejections)
        expect(reply).toMatchObject({ status: 400, body: { code: 'max_verifications_reached' } })
    },
  )
})

describe('many people verify at once', () => {
  test('simultaneous verifications each get their own response', async () => {
    const otherApp = await platform.app({ team })
    await platform.action(otherApp)
    await platform.action(otherApp, { action: 'shut', status: 'inactive' })
    const person = await request()
    const cases: [string, string, object][] = await Promise.all(
      Array.from({ length: 8 }, async () => [
        ['counted', app, await request()],
        ['counted', otherApp, await request({ app: otherApp })],
        ['max_verifications_reached', app, person],
        ['invalid_proof', otherApp, person],
        ['not_found', 'app\0', person],
        ['invalid_action', app, { ...person, action: 'shut' }],
        ['invalid_action', app, { ...person, action: 'a\0b' }],
        ['invalid_action', app, { ...person, action: 'x'.repeat(90_000) }],
        ['action_inactive', otherApp, { ...person, action: 'shut' }],
        ['invalid_format', app, { ...(await request()), merkle_root: 'none' }],
      ]),
    ).then((rounds) => rounds.flat() as [string, string, object][])
    await verify(person)
    const replies = await Promise.all(cases.map(([, id, body]) => verify(body, id)))
    const codes = replies.map(({ body }) => Object(body).code ?? 'counted')
    expect(codes).toEqual(cases.map(([code]) => code))
  })

  test('a verification gets invalid_action if its action is deleted at the same moment', async () => {
    const action = 'short-lived'
    const id = await platform.action(app, { action })
    const body = await request({ action })
    await platform.db.query('begin')
    await platform.db.query('delete from action where id = $1', [id])
    const reply = verify(body)
    await someoneWaits(platform, 'record_nullifiers')
    await platform.db.query('commit')
    expect(await reply).toMatchObject({ status: 400, body: { code: 'invalid_action' } })
  })
})

const OFF = "update action set status = 'inactive' where id = $1"
const GONE = 'delete from action where id = $1'

describe('an action that ends while a person is counted is rejected', () => {
  test.each([
    ['made inactive', OFF, 'action_inactive', 'status'],
    ['deleted', GONE, 'invalid_action', 'action'],
  ])(
    'a verification reports that its action was %s while the person was counted',
    async (_name, change, code, attribute) => {
      const id = await platform.action(app, { action: code })
      const body = await request({ action: code })
      const reply = await whileCounting(id, change, () => verify(body))
      expect(reply).toMatchObject({ status: 400, body: { code, attribute } })
    },
  )

  test.each([
    ['made inactive', OFF],
    ['deleted', GONE],
  ])(
    'the v1 verification gets not_found if its action was %s while the person was counted',
    async (action, change) => {
      const id = await platform.action(app, { action })
      const body = { ...(await request({ action })), action_id: id, signal: '' }
      const send = () => platform.post('/api/v1/verify', body)
      expect(await whileCounting(id, change, send)).toMatchObject({
        status: 404,
        body: { code: 'not_found', attribute: 'action_id' },
      })
    },
  )
})

/**
 * Changes an action after it was looked up and before the person is counted; returns the response.
 */
async function whileCounting(id: string, change: string, send: () => Promise<Reply>) {
  const isDeleted = change === GONE
  await platform.db.query('begin')
  // Counting waits for a row that is being deleted, but not for a row that is being updated.
  if (isDeleted) await platform.db.query(change, [id])
  else await platform.db.query('lock table nullifier in share row exclusive mode')
  const reply = send()
  await someoneWaits(platform, 'record_nullifiers')
  if (!isDeleted) await platform.db.query(change, [id])
  await platform.db.query('commit')
  return reply
}

test('verifications do not wait while another action is being deleted', async () => {
  const id = await platform.action(app, { action: 'slowly deleted' })
  await platform.db.query('begin')
  await platform.db.query(GONE, [id])
  const slowRequest = await request({ action: 'slowly deleted' })
  const slowReply = verify(slowRequest)
  await someoneWaits(platform, 'record_nullifiers')
  const otherReplies = await Promise.all(
    Array.from({ length: 20 }, async () => verify(await request())),
  )
  expect(new Set(otherReplies.map(({ status }) => status))).toEqual(new Set([200]))
  await platform.db.query('rollback')
  expect(await slowReply).toMatchObject({ status: 200 })
})

async function count(nullifier: bigint): Promise<number> {
  const { rowCount } = await platform.db.query('select from nullifier where nullifier_hash = $1', [
    formatField(nullifier),
  ])
  return rowCount ?? 0
}

/** Verifies like a client: retries while the service is busy. */
async function verifyPatiently(body: object): ReturnType<typeof verify> {
  const reply = await verify(body)
  return reply.status === 503 ? verifyPatiently(body) : reply
}
