import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { newKey, REUSED, usesOf, verify } from '../../support/webhooks/idempotency/verifications.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  app,
  platform,
  request,
  setTheScene,
  team,
} from '../../support/webhooks/verification-scene.ts'

setTheScene()

describe('an idempotency key of a verification is bound to its request', () => {
  test.each(['nullifier_hash', 'proof', 'merkle_root', 'signal_hash', 'verification_level'])(
    'a used idempotency key gets 422 with another %s, and the second verification is not counted',
    async (field) => {
      const [body, other, key] = [await request(), await request({ signal: 'other' }), newKey()]
      await verify(body, key)
      const changedBody = { ...body, [field]: Object(other)[field] }
      if (field === 'verification_level') Object.assign(changedBody, { [field]: 'device' })
      if (field === 'merkle_root') Object.assign(changedBody, { [field]: '0x1' })
      expect(await verify(changedBody, key)).toMatchObject(REUSED)
      expect(await usesOf(body)).toBe(1)
    },
  )

  test('a used idempotency key gets 422 if the request has another action or a new max_age', async () => {
    await platform.action(app, { action: 'another' })
    const [body, key] = [await request(), newKey()]
    await verify(body, key)
    expect(await verify(await request({ action: 'another' }), key)).toMatchObject(REUSED)
    expect(await verify({ ...body, max_age: 3_600 }, key)).toMatchObject(REUSED)
  })

  test('one of two people who send the same idempotency key at once is verified', async () => {
    const [one, other, key] = [await request(), await request(), newKey()]
    const replies = await Promise.all([verify(one, key), verify(other, key)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect((await usesOf(one)) + (await usesOf(other))).toBe(1)
  })

  test('two apps can use the same idempotency key', async () => {
    const id = await platform.app({ team })
    await platform.action(id)
    const key = newKey()
    const [ownRequest, otherRequest] = [await request(), await request({ app: id })]
    expect(await verify(ownRequest, key)).toMatchObject({ status: 200 })
    expect(await verify(otherRequest, key, { id })).toMatchObject({ status: 200 })
    expect((await verify(otherRequest, key, { id })).headers.get('idempotent-replayed')).toBe(
      'true',
    )
  })

  test('an idempotency key is the same with and without quotes', async () => {
    const [body, id] = [await request(), randomUUID()]
    const first = await verify(body, { 'idempotency-key': id })
    const retry = await verify(body, { 'idempotency-key': `"${id}"` })
    expect(retry).toMatchObject({ status: 200, body: first.body })
  })

  test.each([
    ['quoted text with spaces and punctuation', '"a b, c; d=1"'],
    ['quoted text with escapes', '"say \\"so\\" with a \\\\"'],
    ['255 characters', `"${'k'.repeat(255)}"`],
    ['255 escaped characters', `"${'\\"'.repeat(255)}"`],
    ['255 characters without quotes', 'u'.repeat(255)],
    ['punctuation without quotes', 'order-7:1/2=3+4_5.6~7@8'],
  ])('an idempotency key can be %s', async (_name, key) => {
    const [body, headers] = [await request(), { 'idempotency-key': key }]
    const first = await verify(body, headers)
    expect(first.status).toBe(200)
    expect(await verify(body, headers)).toMatchObject({ status: 200, body: first.body })
  })

  test.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['a single quote', '"'],
    ['without a closing quote', '"a'],
    ['quoted in the middle', 'a"b'],
    ['with a quote that is not escaped', '"a"b"'],
    ['two keys', '"a", "b"'],
    ['two keys without quotes', 'a, b'],
    ['two words without quotes', 'a b'],
    ['with a parameter', '"a";b=1'],
    ['with an unknown escape', '"a\\b"'],
    ['with a tab', '"a\tb"'],
    ['beyond ASCII', '"\u00e4"'],
    ['of 256 characters', `"${'k'.repeat(256)}"`],
    ['of 256 characters without quotes', 'k'.repeat(256)],
  ])('an idempotency key that is %s gets 400', async (_name, key) => {
    const body = await request()
    expect(await verify(body, { 'idempotency-key': key })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'idempotency-key' },
    })
    expect(await usesOf(body)).toBe(0)
  })
})

test('neither the idempotency key nor the hash of the signal is stored in plain text', async () => {
  const [body, key] = [await request(), 'a-key-that-names-ada@example.com']
  await verify(body, { 'idempotency-key': key })
  const { rows } = await platform.db.query(
    'select * from counted_request where nullifier_hash = $1',
    [Object(body).nullifier_hash],
  )
  expect(rows).toHaveLength(1)
  for (const part of ['a-key', 'names', 'ada@', 'example'])
    expect(JSON.stringify(rows)).not.toContain(part)
  expect(JSON.stringify(rows)).not.toContain(Object(body).signal_hash)
})
