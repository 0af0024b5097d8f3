import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../lib/runtime/config.ts'
import { readProvingGroups } from '../../../lib/verification/roots/proving-groups.ts'
import { GROUP_NAMES } from '../../../local/chain/group-names.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const ORB_ROOT = 1_001n
const DEVICE_ROOT = 1_002n

let platform: TestPlatform
let app: string

/** Staging apps accept two groups here: the production group for the orb, and the staging group for other levels. */
beforeAll(async () => {
  platform = await startTestPlatform({
    GROUPS_STAGING: `${GROUP_NAMES.production}=orb,${GROUP_NAMES.staging}=device+document`,
  })
  app = await platform.app({ team: await platform.team() })
  await platform.action(app)
  const { rpcUrl } = platform.anvil
  await publishRoot({ rpcUrl, group: 'production', root: ORB_ROOT })
  await publishRoot({ rpcUrl, group: 'staging', root: DEVICE_ROOT })
})
afterAll(() => platform.stop())

let people = 1n

async function verifyAs(verification_level: string, root: bigint) {
  people += 1n
  const request = await forgeRequest({ app, action: 'vote', root, nullifier: people })
  return platform.post(`/api/v2/verify/${app}`, { ...request, verification_level })
}

test.each([
  ['orb', ORB_ROOT],
  ['device', DEVICE_ROOT],
  ['document', DEVICE_ROOT],
])('the level %s is accepted for a group that proves it', async (level, root) => {
  expect(await verifyAs(level, root)).toMatchObject({
    status: 200,
    body: { verification_level: level },
  })
})

test.each([
  ['orb', DEVICE_ROOT],
  ['device', ORB_ROOT],
  ['selfie', ORB_ROOT],
  ['selfie', DEVICE_ROOT],
])('the level %s is rejected for a group that does not prove it', async (level, root) => {
  expect(await verifyAs(level, root)).toMatchObject({
    status: 400,
    body: { code: 'invalid_merkle_root', attribute: 'merkle_root' },
  })
})

test('by default production proves only the orb, and staging also proves the level selfie', () => {
  const { production, staging } = readProvingGroups(
    readConfig({ ...platform.env, GROUPS_STAGING: '' }),
  )
  expect(production.map(({ levels }) => [...levels])).toEqual([['orb']])
  expect(staging.flatMap(({ levels }) => [...levels])).toContain('selfie')
})

test('the configuration rejects an unknown level', () => {
  const config = readConfig({ ...platform.env, GROUPS_PRODUCTION: 'people.example=eyes' })
  expect(() => readProvingGroups(config)).toThrow('got "eyes"')
})
