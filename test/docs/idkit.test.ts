import { verifyCloudProof } from '@worldcoin/idkit-core/backend'
import { verifyCloudProof as verifyInMiniApp } from '@worldcoin/minikit-js'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

// Uses the packages from npm.

const ROOT = 4711n

let platform: TestPlatform
let app: `app_${string}`

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
  app = AppId.parse(await platform.app({ team: await platform.team() }))
  await platform.action(app)
})

const AppId = z.templateLiteral(['app_', z.string()])

describe("verifyCloudProof works with the platform's endpoint", () => {
  test.each([
    ['@worldcoin/idkit-core', 1n, verifyCloudProof],
    ['@worldcoin/minikit-js', 2n, verifyInMiniApp],
  ])('verifyCloudProof of %s needs only the endpoint', async (name, nullifier, verify) => {
    const signal = `vote of ${name}`
    const {
      action,
      signal_hash: _,
      ...proofMembers
    } = await forgeRequest({
      app,
      action: 'vote',
      root: ROOT,
      nullifier,
      signal,
    })
    const proof = Object({ ...proofMembers })
    const endpoint = `${platform.baseUrl}/api/v2/verify/${app}`
    expect(await verify(proof, app, action, signal, endpoint)).toMatchObject({ success: true })
    expect(await verify(proof, app, action, signal, endpoint)).toMatchObject({
      success: false,
      code: 'max_verifications_reached',
      detail: expect.any(String),
      attribute: null,
    })
    expect(await verify(proof, app, action, 'another', endpoint)).toMatchObject({ success: false })
  })
})
