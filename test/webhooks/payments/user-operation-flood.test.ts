import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { emitUserOperation } from '../../support/clients/user-operation-event.ts'
import { hash } from '../../support/webhooks/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/webhooks/rpc-proxy.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

// The chain of payments is slow, and one address looks up more user operations than its share.

let platform: TestPlatform
let chain: RpcProxy
let instance: Awaited<ReturnType<TestPlatform['anotherInstance']>>

beforeAll(async () => {
  platform = await startTestPlatform()
  chain = await startRpcProxy(platform.anvil.rpcUrl)
  instance = await platform.anotherInstance({
    PAYMENT_CHAINS: JSON.stringify({ local: { rpc_url: chain.url, chain_id: CHAIN_ID } }),
    RATE_LIMIT_USER_OPERATION: '1000/60',
    TRUSTED_PROXY_HOPS: '1',
  })
})
afterAll(async () => {
  await instance?.stop()
  await chain?.stop()
  await platform?.stop()
})

test('a flood of user operations from one address does not delay the lookup of another address', async () => {
  const userOpHash = hash()
  await emitUserOperation(platform, { userOpHash })
  chain.reset()
  chain.manner = { delayMs: 1_000 }
  const flood = Array.from({ length: 300 }, () => find(hash(), '192.0.2.1'))
  let floodIsOver = false
  void Promise.all(flood).then(() => {
    floodIsOver = true
  })
  expect(await find(userOpHash, '192.0.2.2')).toMatchObject({
    status: 200,
    body: { status: 'success' },
  })
  expect(floodIsOver).toBe(false)
  const replies = await Promise.all(flood)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 503]))
  const refusals = replies.filter(({ status }) => status === 503)
  expect(refusals[0]).toMatchObject({ body: { code: 'unavailable' } })
  expect(refusals.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
})

test('simultaneous lookups of one user operation share their calls', async () => {
  chain.reset()
  chain.manner = { delayMs: 200 }
  const userOpHash = hash()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => find(userOpHash, `192.0.2.${n + 10}`)),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const calls = chain.traffic.calls.filter(({ method }) => method === 'eth_getLogs')
  expect(calls).toHaveLength(1)
})

test('a user operation gets 503 while the chain is away, and is found once the chain is back', async () => {
  chain.manner = { status: 502 }
  const userOpHash = hash()
  expect(await find(userOpHash, '192.0.2.3')).toMatchObject({ status: 503 })
  chain.manner = {}
  expect(await find(userOpHash, '192.0.2.3')).toMatchObject({ status: 200 })
})

async function find(userOpHash: string, address: string) {
  const response = await fetch(`${instance.baseUrl}/api/v2/minikit/userop/${userOpHash}`, {
    headers: { 'x-forwarded-for': address },
  })
  const body: unknown = await response.json()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}
