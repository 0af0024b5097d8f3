import { hashSignal } from '@worldcoin/idkit-core/hashing'
import { verifyCloudProof } from 'idkit-core-2/backend'
import { hashToField as hashInIdKit2 } from 'idkit-core-2/hashing'
import { verifyCloudProof as verifyInMiniApp } from 'minikit-1'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { formatField, hashToField } from '../../lib/proof/encoding.ts'
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
    ['idkit-core-2', 1n, verifyCloudProof],
    ['minikit-1', 2n, verifyInMiniApp],
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

describe('docs/calls.md says how IDKit hashes a signal', () => {
  const platformHash = (signal: string) => formatField(hashToField(signal))

  test.each(['', 'vote for 7', 'Zoë ✓', '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf', '0xAbCd'])(
    'IDKit 2, IDKit 4 and the platform compute the same hash of “%s”',
    (signal) => {
      expect(hashInIdKit2(signal).digest).toBe(platformHash(signal))
      expect(hashSignal(signal)).toBe(platformHash(signal))
    },
  )

  test.each(['0xabc', '0x'])(
    'IDKit 2 and the platform hash “%s” as bytes, and IDKit 4 as UTF-8',
    (signal) => {
      expect(hashInIdKit2(signal).digest).toBe(platformHash(signal))
      expect(hashSignal(signal)).toBe(formatField(hashToField(Buffer.from(signal))))
    },
  )
})
