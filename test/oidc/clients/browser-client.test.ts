import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../platform/processes/free-ports.ts'
import { startBrowser } from '../../support/chromium.ts'
import { registerClient, type TestClient } from '../../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { proofFor } from '../../support/oidc/visitor.ts'
import { type WalletServer, walletServer } from '../../support/oidc/wallet-server.ts'

let platform: TestSignIn
let wallet: WalletServer
let client: TestClient
let site: Server
let siteUrl: string
let browser: Browser

/** A website without a server of its own: the client library does everything in the page. */
const library = readFileSync(
  new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
)

beforeAll(async () => {
  wallet = await walletServer(await freePort())
  const sitePort = await freePort()
  siteUrl = `http://localhost:${sitePort}`
  platform = await startTestSignIn({
    AUTH_URL: `http://localhost:${await freePort()}`,
    WALLET_BRIDGE_URL: wallet.url,
    DEVELOPMENT_REDIRECT_URIS: `${siteUrl}/callback`,
  })
  client = await registerClient(platform.url)
  site = createServer((request, response) => {
    if (request.url === '/library.js') return void response.end(library)
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Site</title><script src="/library.js"></script>')
  })
  await new Promise<void>((resolve) => site.listen(sitePort, '127.0.0.1', resolve))
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
  await wallet.stop()
  await platform.stop()
})

test.each(['client_secret_post', 'client_secret_basic'])(
  'oidc-client-ts signs in from a page of another origin, by %s',
  async (client_authentication) => {
    const page = await browser.newPage()
    const settings = {
      authority: platform.env.AUTH_URL,
      client_id: client.id,
      client_secret: client.secret,
      redirect_uri: `${siteUrl}/callback`,
      scope: 'openid email',
      loadUserInfo: true,
      client_authentication,
    }
    await page.goto(siteUrl)
    // Its promise ends only when the page is left, and then the call fails.
    await inPage(page, 'signinRedirect', settings).catch(() => {})
    await page.getByText('Scan the code with your wallet.').waitFor()
    await proveIn(page)
    await page.waitForURL(`${siteUrl}/callback?*`)
    const profile = await inPage(page, 'signinRedirectCallback', settings)
    expect(profile).toMatchObject({
      sub: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      email: expect.stringContaining('@localhost'),
    })
    await page.close()
  },
)

/** Calls a method of the library in the page, untyped, because its types are for browsers. */
function inPage(page: Page, method: string, settings: object): Promise<unknown> {
  return page.evaluate(
    async ([name, given]) => {
      const manager = new (Object(globalThis).oidc.UserManager)(JSON.parse(given ?? ''))
      return (await manager[name ?? '']())?.profile ?? null
    },
    [method, JSON.stringify(settings)],
  )
}

/** Answers as the wallet would, and goes on as the page would. */
async function proveIn(page: Page) {
  const facts = JSON.parse((await page.locator('#facts').textContent()) ?? '')
  const proof = await proofFor(facts)
  await page.evaluate(
    async ([path, body]) => {
      const response = await fetch(path ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body ?? '',
      })
      Object(globalThis).location.assign(Object(await response.json()).redirect_to)
    },
    [facts.submitTo, JSON.stringify({ csrf: facts.csrf, ...proof })],
  )
}
