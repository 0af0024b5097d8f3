import { expect } from 'vitest'
import { newKey, REUSED } from '../../support/webhooks/idempotency/verifications.ts'
import { idkit4Response } from '../../support/webhooks/idkit-4-result.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { app, platform, request, setTheScene } from '../../support/webhooks/verification-scene.ts'

setTheScene()

test('a retry of a result of IDKit 4 names the proven credential, not the credential with the invalid proof', async () => {
  const [body, key] = [await twoCredentials(), newKey()]
  const first = await verifyV4(body, key)
  expect(first).toMatchObject({ status: 200, body: { identifier: 'device', uses: 1 } })
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const retry = await verifyV4(body, key)
  expect([retry.status, retry.body]).toEqual([200, first.body])
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
})

test('the responses to ten simultaneous results of IDKit 4 all name the proven credential', async () => {
  const [body, key] = [await twoCredentials(), newKey()]
  const replies = await Promise.all(Array.from({ length: 10 }, () => verifyV4(body, key)))
  for (const reply of replies)
    expect(reply).toMatchObject({ status: 200, body: { identifier: 'device', uses: 1 } })
})

test('a used idempotency key gets 422 with the credentials of IDKit 4 in another order', async () => {
  const [body, key] = [await twoCredentials(), newKey()]
  await verifyV4(body, key)
  const reorderedBody = { ...body, responses: body.responses.toReversed() }
  expect(await verifyV4(reorderedBody, key)).toMatchObject(REUSED)
})

/** Creates a result of IDKit 4 with a valid proof of the device, and a proof of the orb for an unknown root. */
async function twoCredentials() {
  const { action, ...proof } = await request()
  const device = { ...idkit4Response(proof), identifier: 'device' }
  const orb = { ...device, identifier: 'orb', merkle_root: '0x1' }
  return { protocol_version: '3.0', action, responses: [orb, device] }
}

function verifyV4(body: object, headers: Record<string, string>) {
  return platform.post(`/api/v4/verify/${app}`, body, headers)
}
