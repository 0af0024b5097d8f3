import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { type RpcProxy, startRpcProxy } from '../support/webhooks/rpc-proxy.ts'
import { post, startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// The chain is slow, and one team requests more than its share of it.

let platform: TestPlatform
let chain: RpcProxy
let instance: Awaited<ReturnType<TestPlatform['anotherInstance']>>

beforeAll(async () => {
  platform = await startTestPlatform()
  chain = await startRpcProxy(platform.anvil.rpcUrl)
  const env = { CHAIN_RPC_URL: chain.url, TRUSTED_PROXY_HOPS: '1' }
  instance = await platform.anotherInstance(env)
})
afterAll(async () => {
  await instance?.stop()
  await chain?.stop()
  await platform?.stop()
})

async function appOfTeam() {
  const team = await platform.team()
  const app = await platform.app({ team })
  await platform.action(app)
  return { team, app }
}

test('a flood of unknown roots from one team does not delay the verifications of another team', async () => {
  const [greedy, quiet] = [await appOfTeam(), await appOfTeam()]
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: 4_711n })
  const verify = (app: string, body: object, address: string) =>
    post(`${instance.baseUrl}/api/v2/verify/${app}`, body, { 'x-forwarded-for': address })
  const forgedRequest = await forgeRequest({
    app: greedy.app,
    action: 'vote',
    root: 1n,
    nullifier: 1n,
  })
  const validRequest = await forgeRequest({
    app: quiet.app,
    action: 'vote',
    root: 4_711n,
    nullifier: 2n,
  })
  chain.reset()
  chain.manner = { delayMs: 1_000 }
  const flood = Array.from({ length: 400 }, (_, n) =>
    verify(
      greedy.app,
      { ...forgedRequest, merkle_root: `0x${(n + 100).toString(16)}` },
      '192.0.2.1',
    ),
  )
  let floodIsOver = false
  void Promise.all(flood).then(() => {
    floodIsOver = true
  })
  expect((await verify(quiet.app, validRequest, '192.0.2.2')).status).toBe(200)
  expect(floodIsOver).toBe(false)
  const codes = (await Promise.all(flood)).map(({ body }) => Object(body).code)
  expect(new Set(codes)).toEqual(new Set(['invalid_merkle_root', 'unavailable']))
  expect(chain.traffic.mostConcurrent).toBeLessThanOrEqual(32)
  chain.manner = {}
})
