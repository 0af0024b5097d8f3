import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashToken } from '../../../lib/secrets/secret.ts'
import { formatField } from '../../../proof/encoding.ts'
import { sendAndBreak } from '../../support/webhooks/broken-connection.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { serviceProcess } from '../../support/webhooks/service-process.ts'
import { post, type Reply } from '../../support/webhooks/start-platform.ts'
import {
  app,
  platform,
  request,
  setTheSceneApart,
  team,
} from '../../support/webhooks/verification-scene.ts'
import { watchedHasura } from '../../support/webhooks/watched-hasura.ts'

setTheSceneApart()

const USED_UP = { status: 400, body: { code: 'max_verifications_reached' } }
const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}

describe('a request that is repeated with its key', () => {
  test('is answered as it first was, and counted once', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    expect(first).toMatchObject({ status: 200, body: { uses: 1, max_uses: 1 } })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    for (let i = 0; i < 2; i++) {
      const again = await verify(body, key)
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
    }
    expect(await usesOf(body)).toBe(1)
  })

  test('is answered when the connection broke, whenever that was, and nobody counts twice', async () => {
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

  test('is counted once when twenty come at once, to two instances', async () => {
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
    const own = replies.filter(({ headers }) => !headers.has('idempotent-replayed'))
    expect(own).toHaveLength(1)
    expect(await usesOf(body)).toBe(1)
  })

  test('keeps its count where a person may verify more often', async () => {
    await platform.action(app, { action: 'often', max_verifications: 3 })
    const body = await request({ action: 'often' })
    const keys = [newKey(), newKey(), newKey()]
    const firsts = await Promise.all(keys.map((key) => verify(body, key)))
    expect(firsts.map(usesIn).toSorted()).toEqual([1, 2, 3])
    expect(await verify(body, newKey())).toMatchObject(USED_UP)
    const again = await Promise.all(keys.map((key) => verify(body, key)))
    expect(again.map(({ body: answer }) => answer)).toEqual(firsts.map((first) => first.body))
  })

  test('may be written in another order, with other keys that we do not know', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    const turned = Object.fromEntries(Object.entries({ ...body, unknown: 1 }).toReversed())
    expect(await verify(turned, key)).toMatchObject({ status: 200, body: first.body })
  })

  test('is answered although the action was switched off, and its limit changed', async () => {
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

  test('has a new try when the first was refused', async () => {
    const [body, key] = [await request(), newKey()]
    const wrong = { ...body, signal_hash: formatField(1n) }
    expect(await verify(wrong, key)).toMatchObject({ body: { code: 'invalid_proof' } })
    expect(await verify(body, key)).toMatchObject({ status: 200 })
    expect(await verify(wrong, key)).toMatchObject(REUSED)
  })
})

describe('a key', () => {
  test.each(['nullifier_hash', 'proof', 'merkle_root', 'signal_hash', 'verification_level'])(
    'is refused with another %s, and nobody is counted',
    async (field) => {
      const [body, other, key] = [await request(), await request({ signal: 'other' }), newKey()]
      await verify(body, key)
      const changed = { ...body, [field]: Object(other)[field] }
      if (field === 'verification_level') Object.assign(changed, { [field]: 'device' })
      if (field === 'merkle_root') Object.assign(changed, { [field]: '0x1' })
      expect(await verify(changed, key)).toMatchObject(REUSED)
      expect(await usesOf(body)).toBe(1)
    },
  )

  test('is refused with another action of the app, and with an age', async () => {
    await platform.action(app, { action: 'another' })
    const [body, key] = [await request(), newKey()]
    await verify(body, key)
    expect(await verify(await request({ action: 'another' }), key)).toMatchObject(REUSED)
    expect(await verify({ ...body, max_age: 3_600 }, key)).toMatchObject(REUSED)
  })

  test('stands for one of two people who send it at once', async () => {
    const [one, other, key] = [await request(), await request(), newKey()]
    const replies = await Promise.all([verify(one, key), verify(other, key)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect((await usesOf(one)) + (await usesOf(other))).toBe(1)
  })

  test('is another key in another app', async () => {
    const id = await platform.app({ team })
    await platform.action(id)
    const key = newKey()
    const [mine, theirs] = [await request(), await request({ app: id })]
    expect(await verify(mine, key)).toMatchObject({ status: 200 })
    expect(await verify(theirs, key, { id })).toMatchObject({ status: 200 })
    expect((await verify(theirs, key, { id })).headers.get('idempotent-replayed')).toBe('true')
  })

  test('may come with quotes and without, and means the same', async () => {
    const [body, id] = [await request(), randomUUID()]
    const first = await verify(body, { 'idempotency-key': id })
    const again = await verify(body, { 'idempotency-key': `"${id}"` })
    expect(again).toMatchObject({ status: 200, body: first.body })
  })

  test.each([
    ['a text with spaces and signs', '"a b, c; d=1"'],
    ['a text with escapes', '"say \\"so\\" with a \\\\"'],
    ['255 characters', `"${'k'.repeat(255)}"`],
    ['255 escaped characters', `"${'\\"'.repeat(255)}"`],
    ['255 characters without quotes', 'u'.repeat(255)],
    ['signs without quotes', 'order-7:1/2=3+4_5.6~7@8'],
  ])('may be %s', async (_name, key) => {
    const [body, headers] = [await request(), { 'idempotency-key': key }]
    const first = await verify(body, headers)
    expect(first.status).toBe(200)
    expect(await verify(body, headers)).toMatchObject({ status: 200, body: first.body })
  })

  test.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['a quote', '"'],
    ['opened only', '"a'],
    ['quoted in the middle', 'a"b'],
    ['with a quote that is not escaped', '"a"b"'],
    ['two', '"a", "b"'],
    ['two without quotes', 'a, b'],
    ['two words without quotes', 'a b'],
    ['with a parameter', '"a";b=1'],
    ['with an unknown escape', '"a\\b"'],
    ['with a tab', '"a\tb"'],
    ['beyond ASCII', '"\u00e4"'],
    ['of 256 characters', `"${'k'.repeat(256)}"`],
    ['of 256 characters without quotes', 'k'.repeat(256)],
  ])('may not be %s', async (_name, key) => {
    const body = await request()
    expect(await verify(body, { 'idempotency-key': key })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'idempotency-key' },
    })
    expect(await usesOf(body)).toBe(0)
  })

  test('is forgotten after a day, before its row is removed', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    await age('23 hours 59 minutes', body)
    expect(await verify(body, key)).toMatchObject({ status: 200, body: first.body })
    await age('24 hours 1 second', body)
    expect(await verify(body, key)).toMatchObject(USED_UP)
    const other = await request()
    expect(await verify(other, key)).toMatchObject({ status: 200, body: { uses: 1 } })
    expect(await verify(other, key)).toMatchObject({ status: 200 })
    expect(await verify(body, key)).toMatchObject(REUSED)
  })

  test('is removed after a day, however many there are, and no other', async () => {
    await platform.db.query('delete from counted_request')
    const [old, young, key] = [await request(), await request(), newKey()]
    await verify(old, key)
    await verify(young, newKey())
    await age('25 hours', old)
    await platform.db.query(
      `insert into counted_request
      select lpad(n::text, 64, '0'), app_id, fingerprint, action_id, nullifier_hash, uses, max_uses, verified_at, token_id, created_at
      from counted_request, generate_series(1, 4500) n where created_at < now() - interval '1 day'`,
    )
    const removed = { counted_requests: 4_501, answered_requests: 0 }
    expect(await expire()).toMatchObject({ status: 200, body: { deleted: removed } })
    expect(await expire()).toMatchObject({ body: { deleted: { counted_requests: 0 } } })
    const { rows } = await platform.db.query('select nullifier_hash from counted_request')
    expect(rows).toEqual([{ nullifier_hash: Object(young).nullifier_hash }])
  })
})

test('a request without a key is refused the second time, as before', async () => {
  const [body, key] = [await request(), newKey()]
  expect(await verify(body)).toMatchObject({ status: 200 })
  expect(await verify(body)).toMatchObject(USED_UP)
  expect(await verify(body, key)).toMatchObject(USED_UP)
})

test('a key costs no call to Hasura more, and a repetition is one query', async () => {
  const hasura = await watchedHasura(platform.engine.url)
  const watched = await platform.anotherInstance({ HASURA_GRAPHQL_ENDPOINT: hasura.url })
  const key = newKey()
  const [without, body] = [await request(), await request()]
  const callsOf = async (...how: [object, Record<string, string>?]) => {
    hasura.operations.length = 0
    expect(await verify(how[0], how[1], watched)).toMatchObject({ status: 200 })
    return hasura.operations.filter((name) => /^(Verify|Record)/.test(name))
  }
  expect(await callsOf(without)).toEqual(['Verify', 'RecordNullifiers'])
  expect(await callsOf(body, key)).toEqual(['VerifyAgain', 'RecordRequests'])
  expect(await callsOf(body, key)).toEqual(['VerifyAgain'])
  await watched.stop()
  hasura.stop()
})

test('who waits for another with the same key makes nobody else wait', async () => {
  const [body, key, other] = [await request(), newKey(), await request()]
  await platform.db.query('begin')
  await platform.db.query('select pg_advisory_xact_lock(counted_request_lock($1, $2))', [
    app,
    hashToken(key['idempotency-key']),
  ])
  const waiting = verify(body, key)
  await someoneWaits(platform)
  expect(await verify(other, newKey())).toMatchObject({ status: 200 })
  await platform.db.query('commit')
  expect(await waiting).toMatchObject({ status: 200 })
})

test('neither the key nor the request is stored, only hashes of them', async () => {
  const [body, key] = [await request(), 'a-key-that-names-ada@example.com']
  await verify(body, { 'idempotency-key': key })
  const { rows } = await platform.db.query(
    'select * from counted_request where nullifier_hash = $1',
    [Object(body).nullifier_hash],
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('ada')
  expect(JSON.stringify(rows)).not.toContain(Object(body).signal_hash)
})

test('a service that is killed leaves no count without its key', async () => {
  const people = await Promise.all(
    Array.from({ length: 40 }, async () => ({ body: await request(), headers: newKey() })),
  )
  const service = await serviceProcess(platform)
  const sent = people.map(({ body, headers }) => verify(body, headers, service).catch(() => null))
  await Promise.any(sent)
  await service.kill()
  await Promise.all(sent)
  const replies = await Promise.all(people.map(({ body, headers }) => verify(body, headers)))
  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200))
  for (const { body } of people) expect(await usesOf(body)).toBe(1)
})

function newKey() {
  return { 'idempotency-key': randomUUID() }
}

function urlOf(id: string, baseUrl = platform.baseUrl): string {
  return `${baseUrl}/api/v2/verify/${id}`
}

type Where = { baseUrl?: string; id?: string }

function verify(
  body: object,
  headers: Record<string, string> = {},
  { baseUrl, id = app }: Where = {},
) {
  return post(urlOf(id, baseUrl), body, headers)
}

function usesIn({ body }: Reply): number {
  return Object(body).uses
}

async function usesOf(body: object): Promise<number> {
  const { rows } = await platform.db.query(
    'select coalesce(sum(uses), 0)::int as uses from nullifier where nullifier_hash = $1',
    [Object(body).nullifier_hash],
  )
  return rows[0].uses
}

/** Makes the key of a person's request as old as that. */
function age(interval: string, body: object) {
  return platform.db.query(
    'update counted_request set created_at = now() - $1::interval where nullifier_hash = $2',
    [interval, Object(body).nullifier_hash],
  )
}

function expire() {
  return platform.post('/api/_expire', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
}
