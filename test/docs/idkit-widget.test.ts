import { signRequest } from '@worldcoin/idkit-server'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rpIdOfApp } from '../../lib/proof/protocol-4/rp-id.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { freePort } from '../../local/process/free-port.ts'
import { DEMO } from '../../packages/platform/first-data/demo-data.ts'
import { startBrowser } from '../support/chromium.ts'
import { addRequestKey } from '../support/clients/add-request-key.ts'
import { startClientWebsite } from '../support/clients/client-website.ts'
import { startWalletServer, type WalletServer } from '../support/oidc/wallet-server.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// Runs the widgets of IDKit 4 from npm in a real browser. The platform gets their results unchanged.

const APP = requireValue(DEMO[0], 'the staging app of the demo data').id
const PRIVATE_KEY = `0x${'11'.repeat(32)}` as const

let platform: TestPlatform
let wallet: WalletServer
let website: Awaited<ReturnType<typeof startClientWebsite>>
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  const browserStarts = startBrowser().then((startedBrowser) => {
    browser = startedBrowser
  })
  wallet = await startWalletServer(await freePort())
  platform = await startTestPlatform()
  wallet.setChain(platform.anvil.rpcUrl, platform.baseUrl)
  await platform.app({ id: APP, team: await platform.team() })
  await addRequestKey(platform, { app: APP, privateKey: PRIVATE_KEY })
  website = await startClientWebsite('idkit.html')
  await browserStarts
})
afterAll(async () => {
  await browser.close()
  await website.stop()
  await wallet.stop()
  await platform.stop()
})
beforeEach(async () => {
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(60_000)
})
afterEach(() => context.close())

describe('a request with allow_legacy_proofs gets a proof of protocol 3.0', () => {
  test.each(['OrbLegacy', 'SecureDocumentLegacy', 'DocumentLegacy', 'DeviceLegacy'])(
    'the preset %s verifies a person',
    async (type) => {
      const action = `vote-${type}`
      await platform.action(APP, { action })
      const answer = await runWidget({
        action,
        preset: { type, signal: 'yes' },
        allow_legacy_proofs: true,
      })
      expect(answer).toMatch(/^200 /)
      expect(JSON.parse(answer.slice(4))).toMatchObject({ success: true, action })
    },
  )
})

test('idkit-core 4 without React verifies a person', async () => {
  await platform.action(APP, { action: 'core' })
  const page = await context.newPage()
  await page.exposeFunction('openWallet', approve)
  await page.goto(website.url)
  const request = requestOf({
    action: 'core',
    preset: { type: 'OrbLegacy', signal: 'yes' },
    allow_legacy_proofs: true,
  })
  const completion = await page.evaluate<{ result?: unknown }>(
    `requestProof(${JSON.stringify(request)})`,
  )
  expect(completion).toMatchObject({ success: true })
  expect(await verify(completion.result)).toMatch(/^200 /)
})

type Props = { action: string } & Record<string, unknown>

/** Opens the widget with these props, approves its request as a simulated person, and returns what the page shows. */
async function runWidget(props: Props): Promise<string> {
  const page = await context.newPage()
  await page.exposeFunction('verify', verify)
  await page.goto(website.url)
  await page.evaluate(`openWidget(${JSON.stringify(requestOf(props))})`)
  const code = page.locator('[data-test-id="qr-code"]:visible')
  await code.click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(readClipboard).toMatch(/^https:/)
  await approve(await readClipboard())
  const status = page.getByRole('status')
  await expect.poll(() => status.textContent(), { timeout: 30_000 }).not.toBe('')
  return (await status.textContent()) ?? ''
}

async function verify(result: unknown): Promise<string> {
  const { status, body } = await platform.post(`/api/v4/verify/${APP}`, result)
  return `${status} ${JSON.stringify(body)}`
}

function requestOf(props: Props) {
  const rp_context = signedContext(props.action)
  return { app_id: APP, bridge_url: wallet.url, environment: 'staging', rp_context, ...props }
}

function signedContext(action: string) {
  const { sig, nonce, createdAt, expiresAt } = signRequest({ signingKeyHex: PRIVATE_KEY, action })
  return {
    rp_id: rpIdOfApp(APP),
    nonce,
    created_at: createdAt,
    expires_at: expiresAt,
    signature: sig,
  }
}

/** Submits the form of the simulator's page. */
async function approve(link: string) {
  const form = new URLSearchParams({ connect_url: link, person: 'person-1', answer: 'approve' })
  const answer = await fetch(wallet.url, { method: 'POST', body: form })
  expect(await answer.text()).toContain('Approved')
}
