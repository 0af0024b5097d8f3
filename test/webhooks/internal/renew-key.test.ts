import { beforeEach, describe, expect } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../../lib/runtime/config.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'

type Instance = { baseUrl: string; stop(): Promise<void> }

let platform: TestPlatform
let instances: Instance[]

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  const env = { SIGNING_KEY_RENEWAL_DAYS: '60' }
  instances = [await platform.anotherInstance(env), await platform.anotherInstance(env)]
})
test.afterAll(async () => {
  for (const instance of instances) await instance.stop()
})
beforeEach(() => platform.db.query('delete from jwks'))

test('_jwk-renew creates no key by default', async () => {
  expect(await renew(platform)).toEqual({ success: true, jwk: null })
  expect(await keyIds()).toEqual([])
})

test('SIGNING_KEY_RENEWAL_DAYS must be 0 to 180', () => {
  for (const days of ['181', '-1', '1.5', 'soon'])
    expect(() => readConfig({ ...platform.env, SIGNING_KEY_RENEWAL_DAYS: days })).toThrow(
      'SIGNING_KEY_RENEWAL_DAYS',
    )
})

describe('with SIGNING_KEY_RENEWAL_DAYS=60, _jwk-renew creates a key only if it is needed', () => {
  test('the first key is created, and is valid for twelve months', async () => {
    const { jwk } = await renew()
    expect(jwk).toMatchObject({ id: expect.stringMatching(/^jwk_[0-9a-f]{32}$/) })
    const days = (Date.parse(jwk?.expires_at ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(364)
    expect(days).toBeLessThan(367)
    expect(await renew()).toEqual({ success: true, jwk: null })
  })

  test.each([
    ['61 days', 0],
    ['59 days', 1],
    ['-1 days', 1],
  ])('if the newest key ends in %s, %i keys are created', async (end, count) => {
    const id = await storeKey({ end })
    await renew()
    const ids = await keyIds()
    expect(ids).toContain(id)
    expect(ids).toHaveLength(1 + count)
  })

  test('ten concurrent calls of two instances create one key', async () => {
    const id = await storeKey({ end: '10 days' })
    const calls = Array.from({ length: 10 }, (_, index) => renew(instances[index % 2]))
    const created = (await Promise.all(calls)).flatMap(({ jwk }) => jwk ?? [])
    expect(created).toHaveLength(1)
    expect((await keyIds()).sort()).toEqual([id, created[0]?.id].sort())
  })

  test('the key of an earlier time and the keys of sign-in do not count as the newest key', async () => {
    await storeKey({ end: '300 days', age: '2 days' })
    await storeKey({ end: '20 days', age: '1 day' })
    await storeKey({ end: '300 days', use: 'sign-in' })
    expect((await renew()).jwk).not.toBeNull()
  })

  test('the earlier key and the new key are both published', async () => {
    const { jwk: first } = await renew()
    await platform.db.query("update jwks set expires_at = now() + interval '10 days'")
    const { jwk: next } = await renew()
    await expect.poll(publishedIds).toEqual([next?.id, first?.id])
  })
})

const Renewal = z.strictObject({
  success: z.literal(true),
  jwk: z
    .strictObject({ __typename: z.literal('jwks'), id: z.string(), expires_at: z.string() })
    .nullable(),
})

async function renew({ baseUrl }: { baseUrl: string } = instances[0] ?? platform) {
  const authorization = `Bearer ${INTERNAL_SECRET}`
  const { status, body } = await post(`${baseUrl}/api/_jwk-renew`, {}, { authorization })
  expect(status).toBe(200)
  return Renewal.parse(body)
}

/** Stores a key that ends after an interval, and was created some time ago. */
async function storeKey({ end, age = '1 hour', use = 'verification' }: Record<string, string>) {
  const { rows } = await platform.db.query(
    `insert into jwks (id, use, public_jwk, private_jwk_encrypted, created_at, expires_at)
     values ('jwk_' || md5(random()::text), $1, '{}', 'x', now() - $2::interval, now() + $3::interval)
     returning id`,
    [use, age, end],
  )
  return String(rows[0].id)
}

async function keyIds(): Promise<string[]> {
  return (await platform.db.query('select id from jwks')).rows.map(({ id }) => id)
}

async function publishedIds(): Promise<string[]> {
  const response = await fetch(`${platform.baseUrl}/api/v1/jwks`)
  return Object(await response.json()).keys.map(({ kid }: { kid: string }) => kid)
}
