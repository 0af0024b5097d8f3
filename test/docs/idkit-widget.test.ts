import { signRequest } from '@worldcoin/idkit-server'
import type { Browser, BrowserContext } from 'playwright-core'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CREDENTIAL_NAMES } from '../../lib/proof/protocol-4/credentials.ts'
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
const PRIVATE_KEY: Hex = `0x${'11'.repeat(32)}`

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

test.each([
  ['3.0', { preset: { type: 'OrbLegacy', signal: 'yes' }, allow_legacy_proofs: true }],
  ['4.0', { constraints: { type: 'proof_of_human' }, allow_legacy_proofs: false }],
] as const)(
  'idkit-core 4 without React verifies a person with protocol %s',
  async (protocol, fields) => {
    const action = `core ${protocol}`
    await addAction(action, protocol)
    const page = await context.newPage()
    await page.exposeFunction('openWallet', (link: string) => approve(link, 'person-1'))
    await page.goto(website.url)
    const request = requestOf({ action, ...fields })
    const completion = await page.evaluate<{ result?: unknown }>(
      `requestProof(${JSON.stringify(request)})`,
    )
    expect(completion).toMatchObject({ success: true, result: { protocol_version: protocol } })
    expect(await verify(completion.result)).toMatch(/^200 /)
  },
)

describe('a request for protocol 4.0 gets proofs that the platform verifies', () => {
  const human = { type: 'proof_of_human', signal: 'yes' }
  const passport = { type: 'passport', signal: 'yes' }

  test.each([
    [
      'the preset ProofOfHuman',
      { preset: { type: 'ProofOfHuman', signal: 'yes' } },
      ['proof_of_human'],
    ],
    ['the preset Passport', { preset: { type: 'Passport', signal: 'yes' } }, ['passport']],
    ['the preset Mnc', { preset: { type: 'Mnc' } }, ['mnc']],
    ['a single constraint', { constraints: human }, ['proof_of_human']],
    ['any', { constraints: { any: [human, passport] } }, ['proof_of_human']],
    ['all', { constraints: { all: [human, passport] } }, ['proof_of_human', 'passport']],
    [
      'enumerate',
      { constraints: { enumerate: [passport, human] } },
      ['passport', 'proof_of_human'],
    ],
  ])('%s', async (name, request, identifiers) => {
    const action = `poll with ${name}`
    await addAction(action, '4.0')
    const answer = await runWidget({ action, ...request, allow_legacy_proofs: false })
    expect(answer).toMatch(/^200 /)
    expect(JSON.parse(answer.slice(4))).toMatchObject({
      success: true,
      action,
      results: identifiers.map((identifier) => ({ identifier, success: true })),
    })
  })

  test('with allow_legacy_proofs, a person of World ID 4.0 answers with protocol 4.0, and another person with 3.0', async () => {
    await addAction('both', 'both')
    const request = {
      action: 'both',
      preset: { type: 'ProofOfHuman', signal: 'yes' },
      allow_legacy_proofs: true,
    }
    expect(await runWidget(request)).toContain('"results":[{"identifier":"proof_of_human"')
    expect(await runWidget(request, 'legacy')).toContain('"protocol_version":"3.0"')
    const constraints = { type: 'proof_of_human' }
    const strictRequest = { action: 'both', constraints, allow_legacy_proofs: false }
    expect(await runWidget(strictRequest, 'legacy')).toBe('error world_id_4_not_available')
  })

  test('a request that another key has signed is refused by the wallet', async () => {
    const request = {
      action: 'forged',
      preset: { type: 'ProofOfHuman' },
      allow_legacy_proofs: false,
    }
    const rp_context = signedContext('forged', `0x${'22'.repeat(32)}`)
    expect(await runWidget({ ...request, rp_context })).toBe('error invalid_rp_signature')
  })
})

test('IDKitSessionWidget opens a session, and proves later that the same person is there', async () => {
  const constraints = { type: 'proof_of_human' }
  const session = { isSession: true, constraints }
  const first = await runWidget(session)
  expect(first).toMatch(/^200 /)
  const { session_id } = z.object({ session_id: z.string() }).parse(JSON.parse(first.slice(4)))
  const second = await runWidget({ ...session, existing_session_id: session_id })
  expect(JSON.parse(second.slice(4))).toMatchObject({ success: true, session_id })
  expect(await runWidget({ ...session, existing_session_id: session_id }, 'person-2')).toMatch(
    /^error /,
  )
})

test('a changed result of protocol 4.0 is refused and not counted, and the result itself counts as often as the limit allows', async () => {
  await addAction('hostile', '4.0')
  await addAction('another', '4.0')
  await platform.db.query("update action set max_verifications = 2 where action = 'hostile'")
  const answer = await runWidget({
    action: 'hostile',
    preset: { type: 'ProofOfHuman', signal: 'yes' },
    allow_legacy_proofs: false,
  })
  expect(answer).toMatch(/^200 /)
  const result = lastResult
  const [proof] = result.responses
  for (const change of [
    { action: 'another' },
    { nonce: `0x${'1'.padStart(64, '0')}` },
    { responses: [{ ...proof, signal_hash: '0x1' }] },
    { responses: [{ ...proof, nullifier: `0x${'2'.padStart(64, '0')}` }] },
    { responses: [{ ...proof, expires_at_min: 1 }] },
  ])
    expect(await verify({ ...result, ...change })).toMatch(/^400 .*"all_verifications_failed"/)
  expect(await verify(result)).toMatch(/^200 /)
  expect(await verify(result)).toMatch(/^400 .*"max_verifications_reached"/)
})

/** Adds an action that counts people with each credential. */
async function addAction(action: string, protocol: '3.0' | '4.0' | 'both') {
  const id = await platform.action(APP, { action })
  await platform.db.query('update action set protocol = $2, credentials = $3 where id = $1', [
    id,
    protocol,
    CREDENTIAL_NAMES,
  ])
}

type Props = { action?: string } & Record<string, unknown>

const Result = z.looseObject({ responses: z.array(z.looseObject({})) })

/** The result of the widget that the platform got last. */
let lastResult: z.infer<typeof Result>

/** Opens the widget with these props, approves its request as a simulated person, and returns what the page shows. */
async function runWidget(props: Props, person = 'person-1'): Promise<string> {
  const page = await context.newPage()
  await page.exposeFunction('verify', verify)
  await page.goto(website.url)
  await page.evaluate(`openWidget(${JSON.stringify(requestOf(props))})`)
  await page.evaluate('navigator.clipboard.writeText("")')
  await page.locator('[data-test-id="qr-code"]:visible').click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(readClipboard).toMatch(/^https:/)
  await approve(await readClipboard(), person)
  const status = page.getByRole('status')
  await expect.poll(() => status.textContent(), { timeout: 30_000 }).not.toBe('')
  return (await status.textContent()) ?? ''
}

async function verify(result: unknown): Promise<string> {
  lastResult = Result.parse(result)
  const { status, body } = await platform.post(`/api/v4/verify/${rpIdOfApp(APP)}`, result)
  return `${status} ${JSON.stringify(body)}`
}

function requestOf(props: Props) {
  const rp_context = signedContext(props.action)
  return { app_id: APP, bridge_url: wallet.url, environment: 'staging', rp_context, ...props }
}

function signedContext(action: string | undefined, privateKey = PRIVATE_KEY) {
  const { sig, nonce, createdAt, expiresAt } = signRequest({
    signingKeyHex: privateKey,
    ...(action && { action }),
  })
  return {
    rp_id: rpIdOfApp(APP),
    nonce,
    created_at: createdAt,
    expires_at: expiresAt,
    signature: sig,
  }
}

/** Submits the form of the simulator's page. */
async function approve(link: string, person: string) {
  const form = new URLSearchParams({ connect_url: link, person, answer: 'approve' })
  const answer = await fetch(wallet.url, { method: 'POST', body: form })
  expect(await answer.text()).toMatch(/Approved|refuse/i)
}
