import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import type { Reply } from '../../support/webhooks/start-platform.ts'
import {
  app,
  platform,
  request,
  setTheSceneApart,
} from '../../support/webhooks/verification-scene.ts'

setTheSceneApart()

let action: string

beforeAll(async () => {
  action = await platform.action(app, { action: 'page', return_url: 'https://example.com/back' })
  await makeKey()
})

test('a retry on a hosted page gets a token with the same claims, even if another key signs it', async () => {
  const [body, key] = [await bodyOf('page', action), newKey()]
  const first = await verify(body, key)
  expect(first.status).toBe(200)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  await makeKey()
  platform.clock.aheadMs = 10 * 60_000
  const retry = await verify(body, key)
  platform.clock.aheadMs = 0
  expect(retry.status).toBe(200)
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(decodeJwt(tokenIn(retry))).toEqual(decodeJwt(tokenIn(first)))
  const signers = [first, retry].map((reply) => decodeProtectedHeader(tokenIn(reply)).kid)
  expect(signers[0]).not.toBe(signers[1])
  const { iat = 0, exp = 0, jti } = decodeJwt(tokenIn(first))
  expect(exp - iat).toBe(3_600)
  expect(jti).toMatch(/^[0-9a-f-]{36}$/)
})

test('twenty simultaneous requests of a hosted page get tokens with the same claims, and are counted once', async () => {
  const [body, key] = [await bodyOf('page', action), newKey()]
  const replies = await Promise.all(Array.from({ length: 20 }, () => verify(body, key)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(new Set(replies.map((reply) => JSON.stringify(decodeJwt(tokenIn(reply))))).size).toBe(1)
  expect(replies.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  expect(await verify(body, newKey())).toMatchObject({ body: { code: 'already_verified' } })
})

test('an idempotency key gets 422 with another request, even one to /api/v2/verify', async () => {
  const [body, key] = [await bodyOf('page', action), newKey()]
  await verify(body, key)
  const keyReusedError = { status: 422, body: { code: 'idempotency_key_reused' } }
  expect(await verify({ ...body, signal: 'other' }, key)).toMatchObject(keyReusedError)
  expect(await verify(await bodyOf('page', action), key)).toMatchObject(keyReusedError)
  expect(
    await platform.post(`/api/v2/verify/${app}`, { ...body, action: 'page' }, key),
  ).toMatchObject(keyReusedError)
})

test('a retry on a hosted page succeeds although the action is now inactive', async () => {
  const actionId = await platform.action(app, { action: 'off' })
  const [body, key] = [await bodyOf('off', actionId), newKey()]
  const first = await verify(body, key)
  expect(first).toMatchObject({ status: 200, body: { return_url: '' } })
  await platform.db.query("update action set status = 'inactive' where id = $1", [actionId])
  expect(await verify(body, key)).toMatchObject({ status: 200, body: first.body })
  expect(await verify(body, newKey())).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await verify(body)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

async function bodyOf(name: string, action_id: string) {
  return { ...(await request({ action: name })), action_id, signal: '' }
}

function verify(body: object, headers: Record<string, string> = {}) {
  return platform.post('/api/v1/verify', body, headers)
}

function newKey() {
  return { 'idempotency-key': `"${randomUUID()}"` }
}

function makeKey() {
  return platform.post('/api/_jwk-gen', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
}

function tokenIn({ body }: Reply): string {
  return new URL(Object(body).return_url).searchParams.get('verification_jwt') ?? ''
}
