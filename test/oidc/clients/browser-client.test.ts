import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { startBrowser } from '../../support/chromium.ts'
import { readPrograms } from '../../support/docs/programs.ts'
import { registerClient, type TestClient } from '../../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { proofFor } from '../../support/oidc/visitor.ts'
import { startWalletServer, type WalletServer } from '../../support/oidc/wallet-server.ts'

let platform: TestSignIn
let wallet: WalletServer
let client: TestClient
let site: Server
let siteUrl: string
let browser: Browser

/** The client library of a website without a server: it runs in the page. */
const library = readFileSync(
  new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
)

/** The website of docs/sign-in.md, which is a single page. */
const documented = readPrograms('docs/sign-in.md').get('html oidc-client-ts')

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  const sitePort = await freePort()
  siteUrl = `http://localhost:${sitePort}`
  platform = await startTestSignIn({
    AUTH_URL: `http://localhost:${await freePort()}`,
    WALLET_BRIDGE_URL: wallet.url,
    DEVELOPMENT_REDIRECT_URIS: `${siteUrl}/callback,${siteUrl}/`,
  })
  client = await registerClient(platform.url)
  const { id: clientId } = await registerClient(platform.url, {
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
  })
  site = createServer(
    sendFiles({
      '/oidc-client-ts.min.js': library,
      '/settings.json': JSON.stringify({ issuer: platform.env.AUTH_URL, clientId }),
      '/': documented ?? '',
      '/callback': '<!doctype html><script src="oidc-client-ts.min.js"></script>',
    }),
  )
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

function sendFiles(files: Record<string, Buffer | string>): RequestListener {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '', siteUrl)
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.writeHead(pathname in files ? 200 : 404, { 'content-type': type })
    response.end(files[pathname])
  }
}

test('the page of docs/sign-in.md signs in as a public client, and shows the person after a reload', async () => {
  const page = await browser.newPage()
  await page.goto(siteUrl)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Scan the code with your wallet.').waitFor()
  await proveIn(page)
  await page.waitForURL(`${siteUrl}/`)
  await page.getByText(/^You are 0x[0-9a-f]{64}$/).waitFor()
  await page.reload()
  await page.getByText(/^You are 0x[0-9a-f]{64}$/).waitFor()
  expect(await page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(false)
  await page.close()
})

test('the page of docs/sign-in.md offers another try after the person cancels', async () => {
  const page = await browser.newPage()
  await page.goto(siteUrl)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Scan the code with your wallet.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The person did not sign in.').waitFor()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.close()
})

test.each(['client_secret_post', 'client_secret_basic'])(
  'oidc-client-ts signs in from a page of another origin with %s',
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
    await page.goto(`${siteUrl}/callback`)
    // The promise settles only when the browser leaves the page, and then the call fails.
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

/** Calls a method of the library in the page. The call is untyped, because the types are for browsers. */
function inPage(page: Page, method: string, settings: object): Promise<unknown> {
  return page.evaluate(
    async ([name, settingsText]) => {
      const manager = new (Object(globalThis).oidc.UserManager)(JSON.parse(settingsText ?? ''))
      return (await manager[name ?? '']())?.profile ?? null
    },
    [method, JSON.stringify(settings)],
  )
}

/** Sends a proof as a wallet would, and continues as the page would. */
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
