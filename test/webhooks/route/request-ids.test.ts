import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect } from 'vitest'
import { formatApiKey } from '../../../webhooks/credentials/api-key.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let instance: Awaited<ReturnType<TestPlatform['anotherInstance']>>
let hasura: Server

/** The request ids that a fake Hasura received. It answers each request as if its database were down. */
const receivedIds: unknown[] = []

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  hasura = createServer(({ headers }, response) => {
    receivedIds.push(headers['x-request-id'])
    response.setHeader('content-type', 'application/json').end(JSON.stringify(UNAVAILABLE))
  }).listen(0, '127.0.0.1')
  await once(hasura, 'listening')
  const { port } = hasura.address() as AddressInfo
  instance = await platform.anotherInstance({ HASURA_GRAPHQL_ENDPOINT: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await instance.stop()
  hasura.close()
})

const UNAVAILABLE = { errors: [{ message: 'none', extensions: { code: 'postgres-error' } }] }
const KEY = formatApiKey({ id: `key_${'1'.repeat(32)}`, secret: 'x'.repeat(48) })
const ADA = { email: 'ada@example.com', password: 'difference', name: 'Ada', team_name: 'Engine' }
const PROOF = {
  nullifier_hash: '0x1',
  merkle_root: '0x1',
  proof: '0x1',
  signal: '',
  signal_hash: '0x1',
}

test.each<[string, object?]>([
  ['/api/v2/verify/app_1', { ...PROOF, action: 'vote', verification_level: 'orb' }],
  ['/api/v1/verify', { ...PROOF, action_id: 'wid_1' }],
  ['/api/v1/precheck/app_1'],
  ['/api/v1/precheck/wid_1'],
  ['/api/v2/minikit/transaction/txn_1?app_id=app_1&type=payment'],
  ['/api/v1/signup', ADA],
  ['/api/v1/login', ADA],
  ['/api/v1/resend-verification', ADA],
  [`/api/v1/accept-invite?token=${'t'.repeat(43)}`],
  ['/v1/graphql', { query: '{ app { id } }' }],
])("the requests to Hasura for %s have the id of the caller's request", async (path, body) => {
  const id = crypto.randomUUID()
  await fetch(instance.baseUrl + path, {
    headers: {
      'x-request-id': id,
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(receivedIds).toContain(id)
})
