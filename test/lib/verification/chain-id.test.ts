import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { startRpcProxy } from '../../support/webhooks/rpc-proxy.ts'
import {
  post,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let app: string

beforeAll(async () => {
  platform = await startTestPlatform()
  app = await platform.app({ team: await platform.team() })
  await platform.action(app)
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: 61n })
})
afterAll(() => platform.stop())

const verify = async (url: string, nullifier: bigint) =>
  post(
    `${url}/api/v2/verify/${app}`,
    await forgeRequest({ app, action: 'vote', root: 61n, nullifier }),
  )

test('the service does not start with a server of another chain, and the error says what to do', async () => {
  await expect(platform.anotherInstance({ CHAIN_ID: '1' })).rejects.toThrow(
    `CHAIN_RPC_URL belongs to chain ${CHAIN_ID}, but CHAIN_ID is 1: use a server of chain 1`,
  )
})

test('the service starts while the chain is down, and verifies no proof if it turns out to be the wrong chain', async () => {
  const proxy = await startRpcProxy(platform.anvil.rpcUrl)
  proxy.manner = { status: 503 }
  const { baseUrl: url } = await platform.anotherInstance({
    CHAIN_RPC_URL: proxy.url,
    CHAIN_ID: '5',
  })
  expect((await verify(url, 1n)).status).toBe(503)
  proxy.manner = {}
  expect(await verify(url, 1n)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect(proxy.traffic.calls.filter(({ method }) => method === 'eth_call')).toEqual([])
  await proxy.stop()
})

test('the service verifies proofs once a chain that was down at the start is back', async () => {
  const proxy = await startRpcProxy(platform.anvil.rpcUrl)
  proxy.manner = { status: 503 }
  const { baseUrl: url } = await platform.anotherInstance({ CHAIN_RPC_URL: proxy.url })
  expect((await verify(url, 2n)).status).toBe(503)
  proxy.manner = {}
  expect((await verify(url, 2n)).status).toBe(200)
  await proxy.stop()
})

test('the service does not start with a server of another chain than World Chain, and the error says what to do', async () => {
  await expect(platform.anotherInstance({ WORLD_CHAIN_ID: '480' })).rejects.toThrow(
    `WORLD_CHAIN_RPC_URL belongs to chain ${CHAIN_ID}, but WORLD_CHAIN_ID is 480: use a server of chain 480`,
  )
})

test('the service starts while World Chain is down, is ready, and verifies proofs of protocol 3.0', async () => {
  const proxy = await startRpcProxy(platform.anvil.rpcUrl)
  proxy.manner = { status: 503 }
  const { baseUrl: url } = await platform.anotherInstance({ WORLD_CHAIN_RPC_URL: proxy.url })
  expect((await verify(url, 3n)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await proxy.stop()
})

test('the service starts without World Chain', async () => {
  const { baseUrl: url } = await platform.anotherInstance({ WORLD_CHAIN_RPC_URL: '' })
  expect((await verify(url, 4n)).status).toBe(200)
})

test('the service does not start with a key of the other protocol', async () => {
  const name = 'semaphore-v3-depth-30'
  await expect(platform.anotherInstance({ VERIFICATION_KEYS_4_PRODUCTION: name })).rejects.toThrow(
    `must be one of world-id-4, development-4; got "${name}"`,
  )
})
