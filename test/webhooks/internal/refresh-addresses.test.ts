import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Addresses, deployChain } from '../../../local/chain/deploy.ts'
import { ensureNameRecord, GROUP_NAMES } from '../../../local/chain/group-names.ts'
import { connectLocalChain } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const NOWHERE = `0x${'0'.repeat(40)}` as const

let platform: TestPlatform
let contracts: Addresses
let app: string
let root = 0n

beforeAll(async () => {
  platform = await startTestPlatform()
  app = await platform.app({ team: await platform.team() })
})
afterAll(() => platform.stop())
beforeEach(async () => {
  contracts = await deployChain(platform.anvil.rpcUrl)
  expect(await refresh()).toMatchObject({ status: 200 })
  root += 1n
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'production', root })
})

test('_ens stores both addresses under their names', async () => {
  await platform.db.query('delete from cache')
  expect(await refresh()).toMatchObject({ status: 200, body: { success: true } })
  const { rows } = await platform.db.query('select key, value from cache order by key')
  expect(rows).toEqual([
    { key: GROUP_NAMES.production, value: contracts.groups.production },
    { key: GROUP_NAMES.staging, value: contracts.groups.staging },
  ])
})

test('proofs are verified with a new contract after _ens, without a restart', async () => {
  expect(await verify()).toMatchObject({ status: 400, body: { code: 'invalid_merkle_root' } })
  await nameStaging(contracts.groups.production)
  expect(await verify()).toMatchObject({ status: 400, body: { code: 'invalid_merkle_root' } })
  expect(await refresh()).toMatchObject({ status: 200 })
  expect(await verify()).toMatchObject({ status: 200 })
})

test('an instance uses an address that another instance stored after 9 to 10.5 seconds', async () => {
  platform.clock.stoppedAt = Date.now()
  await verify()
  await platform.db.query('update cache set value = $1', [contracts.groups.production])
  platform.clock.aheadMs += 9_000
  expect(await verify()).toMatchObject({ status: 400, body: { code: 'invalid_merkle_root' } })
  platform.clock.aheadMs += 1_500
  expect(await verify()).toMatchObject({ status: 200 })
  platform.clock.stoppedAt = null
})

test('_ens reports a name without an address, and keeps every old address', async () => {
  await nameStaging(NOWHERE)
  await platform.db.query("update cache set value = 'old'")
  expect(await refresh()).toEqual({
    status: 500,
    headers: expect.anything(),
    body: { success: false, error: `No address was found for ${GROUP_NAMES.staging}.` },
  })
  const { rows } = await platform.db.query('select distinct value from cache')
  expect(rows).toEqual([{ value: 'old' }])
})

test('_ens stores nothing if the chain is down', async () => {
  const platformWithoutChain = await startTestPlatform({
    CHAIN_RPC_URL: `http://127.0.0.1:${await freePort()}`,
  })
  const { status, body } = await refresh(platformWithoutChain)
  expect([status, Object(body).success]).toEqual([500, false])
  expect(Object(body).error).toContain(GROUP_NAMES.production)
  expect((await platformWithoutChain.db.query('select from cache')).rowCount).toBe(0)
  await platformWithoutChain.stop()
})

function refresh(target = platform) {
  return target.post('/api/_ens', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
}

async function nameStaging(address: `0x${string}`) {
  const chain = await connectLocalChain(platform.anvil.rpcUrl)
  await ensureNameRecord(chain, { ...contracts, name: GROUP_NAMES.staging }, address)
}

/** Verifies a proof of the staging app for a root that only the production contract has. */
async function verify() {
  const body = await forgeRequest({ app, action: '', root, nullifier: root })
  return platform.post(`/api/v2/verify/${app}`, body)
}
