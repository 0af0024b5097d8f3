import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { rpIdOfApp } from '../../lib/proof/protocol-4/rp-id.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { freePort } from '../../local/process/free-port.ts'
import { DEMO } from '../../packages/platform/first-data/demo-data.ts'
import { startBrowser } from '../support/chromium.ts'
import { addRequestKey } from '../support/clients/add-request-key.ts'
import { readPrograms } from '../support/docs/programs.ts'
import { startWalletServer, type WalletServer } from '../support/oidc/wallet-server.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// Runs the website of examples/idkit in a real browser, with both widgets from npm.

/** The app of the demo data that the example uses. */
const APP = requireValue(DEMO[0], 'the staging app of the demo data').id

let platform: TestPlatform
let wallet: WalletServer
let website: Awaited<ReturnType<typeof startWebsite>>
let browser: Browser
let context: BrowserContext
/** Errors that a page reported, and its requests to hosts other than localhost. */
let complaints: string[]

beforeAll(async () => {
  const browserStarts = startBrowser().then((startedBrowser) => {
    browser = startedBrowser
  })
  wallet = await startWalletServer(await freePort())
  platform = await startTestPlatform()
  wallet.setChain(platform.anvil.rpcUrl, platform.baseUrl)
  await platform.action(await platform.app({ id: APP, team: await platform.team() }))
  // As the demo app of npm start: the first proof of protocol 4.0 creates the action.
  await platform.db.query('update app set creates_actions = true')
  await addRequestKey(platform, { app: APP, privateKey: `0x${readSigningKey()}` })
  website = await startWebsite()
  await browserStarts
})
afterAll(async () => {
  await browser.close()
  await website.stop()
  await wallet.stop()
  await platform.stop()
})
beforeEach(async () => {
  complaints = []
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(100_000)
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('request', (request) => {
    if (new URL(request.url()).hostname !== 'localhost') complaints.push(request.url())
  })
})
afterEach(() => context.close())

test("docs/idkit.md shows the example's files unchanged", () => {
  const programs = [...readPrograms('docs/idkit.md').entries()].map(([mark, text]) => ({
    file: mark.replace(/^\w+ /, ''),
    text,
  }))
  expect(programs).toEqual(
    ['app.mjs', 'page.jsx', 'verify.mjs', 'page-2.jsx', 'verify-2.mjs'].map((name) => ({
      file: `examples/idkit/${name}`,
      text: readFileSync(`examples/idkit/${name}`, 'utf8'),
    })),
  )
})

test("the example's rp id and request signing key belong to the app of the demo data", () => {
  const app = readFileSync('examples/idkit/app.mjs', 'utf8')
  expect(app).toContain(`RP_ID = '${rpIdOfApp(APP)}'`)
  const address = privateKeyToAddress(`0x${readSigningKey()}`).toLowerCase()
  expect(readFileSync('hasura/seeds/default/demo.sql', 'utf8')).toContain(`'${APP}', '${address}'`)
})

test.each([
  ['IDKit 2', '/idkit-2.html', 'person-1'],
  ['IDKit 4', '/', 'person-2'],
])('the example with %s verifies a person', async (_version, path, person) => {
  const page = await askForProof(path)
  await approve(await copyLink(page), person)
  await page.getByRole('status').getByText('Verified.').waitFor()
  expect(complaints).toEqual([])
})

test("the example's page says why a person is rejected", async () => {
  const firstPage = await askForProof('/')
  await approve(await copyLink(firstPage), 'person-3')
  await firstPage.getByRole('status').getByText('Verified.').waitFor()
  const page = await askForProof('/')
  await approve(await copyLink(page), 'person-3')
  await page.getByText('This person has reached the verification limit of this action').waitFor()
  expect(complaints).toEqual([])
})

/** Returns the example's request signing key, without 0x. */
function readSigningKey(): string {
  const server = readFileSync('examples/idkit/verify.mjs', 'utf8')
  return requireValue(/0x([0-9a-f]{64})/.exec(server)?.[1], 'the signing key of the example')
}

async function askForProof(path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${website.url}${path}`)
  await page.getByRole('button', { name: 'Prove that I am a unique person' }).click()
  return page
}

/** Clicks the widget's QR code, which copies its link. */
async function copyLink(page: Page): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")')
  await page.locator('[data-test-id="qr-code"]:visible').click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(readClipboard).not.toBe('')
  return readClipboard()
}

/** Submits the form of the simulator's page. */
async function approve(link: string, person: string) {
  const form = new URLSearchParams({ connect_url: link, person, answer: 'approve' })
  const answer = await fetch(wallet.url, { method: 'POST', body: form })
  expect(await answer.text()).toContain('Approved')
}

async function startWebsite() {
  const port = await freePort()
  const child = spawn(process.execPath, ['examples/idkit/server.mjs'], {
    env: { PORT: String(port), BASE_URL: platform.baseUrl, BRIDGE_URL: wallet.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The website prints its URL once it listens.
  await once(child.stdout, 'data')
  return {
    url: `http://localhost:${port}`,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
