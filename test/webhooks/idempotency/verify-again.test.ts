import { describe, expect } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import { sendAndBreak } from '../../support/webhooks/broken-connection.ts'
import {
  LIMIT_REACHED,
  newKey,
  REUSED,
  urlOf,
  usesOf,
  verify,
} from '../../support/webhooks/idempotency/verifications.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { serviceProcess } from '../../support/webhooks/service-process.ts'
import type { Reply } from '../../support/webhooks/start-platform.ts'
import { app, platform, request, setTheScene } from '../../support/webhooks/verification-scene.ts'
import { watchedHasura } from '../../support/webhooks/watched-hasura.ts'

setTheScene()

describe('a retried verification with an idempotency key is counted once', () => {
  test('a retried verification gets the first response and is counted once', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    expect(first).toMatchObject({ status: 200, body: { uses: 1, max_uses: 1 } })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    for (let i = 0; i < 2; i++) {
      const retry = await verify(body, key)
      expect([retry.status, retry.body]).toEqual([200, first.body])
      expect(retry.headers.get('idempotent-replayed')).toBe('true')
    }
    expect(await usesOf(body)).toBe(1)
  })

  test('a retried verification succeeds whenever the first connection broke, and is counted once', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => ({
        body: await request(),
        headers: newKey(),
        afterMs: (index * 50) / 40,
      })),
    )
    await Promise.all(people.map((person) => sendAndBreak(urlOf(app), person)))
    const replies = await Promise.all(people.map(({ body, headers }) => verify(body, headers)))
    expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200))
    const replayed = replies.filter(({ headers }) => headers.has('idempotent-replayed'))
    expect(replayed.length).toBeGreaterThan(0)
    for (const [index, { body, headers }] of people.entries()) {
      expect(await usesOf(body)).toBe(1)
      expect((await verify(body, headers)).body).toEqual(replies[index]?.body)
    }
  })

  test('twenty simultaneous verifications with one key to two instances are counted once', async () => {
    const other = await platform.anotherInstance()
    const [body, key] = [await request(), newKey()]
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        verify(body, key, { baseUrl: index % 2 ? other.baseUrl : platform.baseUrl }),
      ),
    )
    await other.stop()
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    const firstReplies = replies.filter(({ headers }) => !headers.has('idempotent-replayed'))
    expect(firstReplies).toHaveLength(1)
    expect(await usesOf(body)).toBe(1)
  })

  test('each key keeps its response if a person may verify several times', async () => {
    await platform.action(app, { action: 'often', max_verifications: 3 })
    const body = await request({ action: 'often' })
    const keys = [newKey(), newKey(), newKey()]
    const firsts = await Promise.all(keys.map((key) => verify(body, key)))
    expect(firsts.map(usesIn).toSorted()).toEqual([1, 2, 3])
    expect(await verify(body, newKey())).toMatchObject(LIMIT_REACHED)
    const retry = await Promise.all(keys.map((key) => verify(body, key)))
    expect(retry.map(({ body: answer }) => answer)).toEqual(firsts.map((first) => first.body))
  })

  test('a retried verification may have its fields in another order, and unknown fields', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    const reorderedBody = Object.fromEntries(Object.entries({ ...body, unknown: 1 }).toReversed())
    expect(await verify(reorderedBody, key)).toMatchObject({ status: 200, body: first.body })
  })

  test('a retried verification succeeds although the action is now inactive and its limit has changed', async () => {
    const action = await platform.action(app, { action: 'switched' })
    const [body, key] = [await request({ action: 'switched' }), newKey()]
    const first = await verify(body, key)
    await platform.db.query(
      "update action set status = 'inactive', max_verifications = 9 where id = $1",
      [action],
    )
    expect(await verify(body, key)).toMatchObject({ status: 200, body: first.body })
    expect(await verify(body, newKey())).toMatchObject({ body: { code: 'action_inactive' } })
    await platform.db.query('delete from action where id = $1', [action])
    expect(await verify(body, key)).toMatchObject({ body: { code: 'invalid_action' } })
  })

  test('a verification that failed can be retried with the same key', async () => {
    const [body, key] = [await request(), newKey()]
    const wrongBody = { ...body, signal_hash: formatField(1n) }
    expect(await verify(wrongBody, key)).toMatchObject({ body: { code: 'invalid_proof' } })
    expect(await verify(body, key)).toMatchObject({ status: 200 })
    expect(await verify(wrongBody, key)).toMatchObject(REUSED)
  })
})

test('a repeated verification without a key is rejected', async () => {
  const [body, key] = [await request(), newKey()]
  expect(await verify(body)).toMatchObject({ status: 200 })
  expect(await verify(body)).toMatchObject(LIMIT_REACHED)
  expect(await verify(body, key)).toMatchObject(LIMIT_REACHED)
})

test('a verification with a key takes no more calls to Hasura, and a retry takes one query', async () => {
  const hasura = await watchedHasura(platform.engine.url)
  const watchedInstance = await platform.anotherInstance({ HASURA_GRAPHQL_ENDPOINT: hasura.url })
  const key = newKey()
  const [bodyWithoutKey, body] = [await request(), await request()]
  const callsOf = async (...how: [object, Record<string, string>?]) => {
    hasura.operations.length = 0
    expect(await verify(how[0], how[1], watchedInstance)).toMatchObject({ status: 200 })
    return hasura.operations.filter((name) => /^(Verify|Record)/.test(name))
  }
  expect(await callsOf(bodyWithoutKey)).toEqual(['Verify', 'RecordNullifiers'])
  expect(await callsOf(body, key)).toEqual(['VerifyAgain', 'RecordRequests'])
  expect(await callsOf(body, key)).toEqual(['VerifyAgain'])
  await watchedInstance.stop()
  hasura.stop()
})

test('a verification that waits for another with the same key does not delay other verifications', async () => {
  const [body, key, other] = [await request(), newKey(), await request()]
  await platform.db.query('begin')
  await platform.db.query('select pg_advisory_xact_lock(counted_request_lock($1, $2))', [
    app,
    hashToken(key['idempotency-key']),
  ])
  const waitingReply = verify(body, key)
  await someoneWaits(platform, 'record_requests')
  expect(await verify(other, newKey())).toMatchObject({ status: 200 })
  await platform.db.query('commit')
  expect(await waitingReply).toMatchObject({ status: 200 })
})

test('a killed service leaves no counted verification without its key', async () => {
  const people = await Promise.all(
    Array.from({ length: 40 }, async () => ({ body: await request(), headers: newKey() })),
  )
  const service = await serviceProcess(platform)
  const replyPromises = people.map(({ body, headers }) =>
    verify(body, headers, service).catch(() => null),
  )
  await Promise.any(replyPromises)
  await service.kill()
  await Promise.all(replyPromises)
  const replies = await Promise.all(people.map(({ body, headers }) => verify(body, headers)))
  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200))
  for (const { body } of people) expect(await usesOf(body)).toBe(1)
})

function usesIn({ body }: Reply): number {
  return Object(body).uses
}
