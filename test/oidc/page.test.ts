import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { publishRoot } from '../../chain/publish-root.ts'
import { type RelyingParty, startRelyingParty } from '../../platform/parts/relying-party.ts'
import { freePort } from '../../platform/processes/free-ports.ts'
import { developmentKey } from '../../simulator/development-key/development-key.ts'
import { takeRequest } from '../../simulator/wallet.ts'
import { startBrowser, textAsSeen } from '../support/chromium.ts'
import {
  authorizeUrl,
  CALLBACK,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { proofFor } from '../support/oidc/visitor.ts'
import { type WalletServer, walletServer } from '../support/oidc/wallet-server.ts'

let platform: TestSignIn
let wallet: WalletServer
let shop: RelyingParty
let client: TestClient
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  wallet = await walletServer(await freePort())
  const authUrl = `http://localhost:${await freePort()}`
  const shopPort = await freePort()
  platform = await startTestSignIn({
    AUTH_URL: authUrl,
    WALLET_BRIDGE_URL: wallet.url,
    SIMULATOR_URL: wallet.url,
    DEVELOPMENT_REDIRECT_URIS: `http://localhost:${shopPort}/callback`,
  })
  wallet.setChain(platform.anvil.rpcUrl)
  client = await registerClient(platform.url, { client_name: 'Shop & <b>Co</b>' })
  shop = await startRelyingParty({
    port: shopPort,
    authUrl,
    clientId: client.id,
    clientSecret: client.secret,
  })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  await shop.stop()
  await wallet.stop()
  await platform.stop()
})

beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
})
afterEach(() => context.close())

/** Goes from the website to the sign-in page, and waits until that waits for a wallet. */
async function arrive() {
  await page.goto(shop.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByText('Scan the code with your wallet.').waitFor()
}

async function linkToWallet(): Promise<string> {
  return (await page.locator('#open').getAttribute('href')) ?? ''
}

/** Sends the page what a wallet would send, without a real proof. */
async function answerWith(change: Parameters<typeof proofFor>[1]) {
  const facts = JSON.parse((await page.locator('#facts').textContent()) ?? '')
  const proof = await proofFor(facts, change)
  await page.route('**/response/*', (route) => route.abort())
  const answered = await page.evaluate(
    async ([path, body]) => {
      const response = await fetch(path ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body ?? '',
      })
      return { status: response.status, body: await response.json() }
    },
    [facts.submitTo, JSON.stringify({ csrf: facts.csrf, ...proof })],
  )
  return answered
}

test('a person signs in with the simulator, from the website and back, and nothing is refused by the browser', async () => {
  await arrive()
  expect(await page.title()).toBe('Sign in to Shop & <b>Co</b>')
  expect(await page.locator('h1').textContent()).toBe('Sign in to \u2068Shop & <b>Co</b>\u2069')
  expect(await page.locator('#code svg path').count()).toBe(1)
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Use the simulator' }).click()
  const simulator = await opened
  await simulator.getByText('Sign in to Shop & <b>Co</b>').waitFor()
  await simulator.getByLabel('As whom?').fill('person-7')
  await simulator.getByRole('button', { name: 'Approve' }).click()
  await simulator.getByText('the proof is on its way').waitFor()
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  const claims = await page.locator('dl').textContent()
  expect(claims).toMatch(/sub0x[0-9a-f]{64}/)
  expect(claims).toContain('"credential_type":"orb"')
  expect(complaints).toEqual([])
})

test('it says where the person is about to sign in, and so does the request to the wallet', async () => {
  await arrive()
  const place = new URL(shop.url).host
  expect(await page.locator('.place').textContent()).toContain(`at the website ${place}`)
  if (process.env.SHOT) {
    for (const width of [360, 1200]) {
      await page.setViewportSize({ width, height: 780 })
      await page.screenshot({ path: `${process.env.SHOT}-place-${width}.png`, fullPage: true })
    }
  }
  const { question } = await takeRequest(await linkToWallet())
  expect(question.action_description).toBe(
    `Sign in to Shop & <b>Co</b> at ${place}. Approve it only if you began it there.`,
  )
  expect(question.credential_types).toContain('device')
})

test('an app counts as unknown until the operator has verified it', async () => {
  const named = await registerClient(platform.url, { client_name: 'Your bank' })
  const place = async () => {
    await page.goto(authorizeUrl(named).replace(ISSUER, platform.env.AUTH_URL))
    return page.locator('.place').textContent()
  }
  expect(await place()).toMatch(
    /at the website rp\.example\s+Not verified: anybody may use this name\./,
  )
  await platform.db.query('update app set is_verified = true where id = $1', [named.id])
  // The server remembers apps for some seconds.
  await expect.poll(place).toMatch(/rp\.example\s+Verified by the people who run this service\./)
})

test('a host with letters that look like others is written in those that do not', async () => {
  const redirect_uri = 'https://xn--pypal-4ve.example/callback'
  const named = await registerClient(platform.url, { redirect_uris: [redirect_uri] })
  const url = authorizeUrl(named, { redirect_uri }).replace(ISSUER, platform.env.AUTH_URL)
  await page.goto(url)
  expect(await page.locator('.place').textContent()).toContain('xn--pypal-4ve.example')
})

test('a website that opens it in a window of its own stays in touch with that window', async () => {
  await page.goto(shop.url)
  const opening = context.waitForEvent('page')
  await page.evaluate(() => Object(globalThis).open('/sign-in', 'sign-in', 'width=400'))
  const opened = await opening
  await opened.getByRole('button', { name: 'Cancel' }).click()
  await opened.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  expect(await opened.evaluate(() => Object(globalThis).opener !== null)).toBe(true)
})

test('without JavaScript the page says what is missing, and offers nothing that would not work', async () => {
  const bare = await browser.newContext({ javaScriptEnabled: false })
  try {
    const still = await bare.newPage()
    await still.goto(`${shop.url}/sign-in`)
    expect(await still.locator('noscript').isVisible()).toBe(true)
    expect(await still.locator('#status').isVisible()).toBe(false)
    expect(await still.getByRole('button').count()).toBe(0)
  } finally {
    await bare.close()
  }
})

test.each([
  ['Shop & <b>Co</b>', 'Shop & <b>Co</b>'],
  ['\u202eabc', 'cba'],
  ['\u2069\u202eabc', 'cba'],
])('a name that turns text around turns around nothing beside it: %j', async (name, seen) => {
  const named = await registerClient(platform.url, { client_name: name })
  await page.goto(authorizeUrl(named).replace(ISSUER, platform.env.AUTH_URL))
  expect(await textAsSeen(page, 'main > p')).toContain(`person. ${seen} learns that, and`)
})

test('a sign-in needs no mouse', async () => {
  await page.goto(shop.url)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Scan the code with your wallet.').waitFor()
  const focused = () => page.evaluate(() => Object(globalThis).document.activeElement.id)
  const visited: string[] = []
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Tab')
    visited.push(await focused())
  }
  expect(visited).toEqual(['open', 'simulate', 'cancel'])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
})

test('who cancels is back at the website, which is told', async () => {
  await arrive()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toBe('The person did not sign in.')
})

test('who declines in the wallet is told so, and may try again', async () => {
  await arrive()
  const first = await linkToWallet()
  await (await takeRequest(first)).decline()
  await page.getByText('You declined in your wallet.').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Scan the code with your wallet.').waitFor()
  const second = await linkToWallet()
  expect(second).not.toBe(first)
  const taken = await takeRequest(second)
  await page.getByText('Now approve it in your wallet.').waitFor()
  expect(taken.question).toMatchObject({ app_id: client.id, action: '' })
})

test('the page says that it cannot reach the wallet, and works again when the bridge is back', async () => {
  await wallet.stop()
  await page.goto(shop.url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByText('This page cannot reach your wallet.').waitFor()
  await wallet.start()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Scan the code with your wallet.').waitFor()
})

describe('what the server refuses is said in words', () => {
  test.each([
    ['a proof for another action', { action: 'vote' }, 'invalid_proof', 'is not valid for'],
    ['a proof for another app', { app: 'app_staging_1' }, 'invalid_proof', 'is not valid for'],
    ['an unknown root', { root: 99n }, 'invalid_merkle_root', 'has this Merkle root'],
    ['an unheard-of level', { level: 'eye' }, 'validation_error', ''],
  ])('%s', async (_name, change, code, words) => {
    await arrive()
    const answered = await answerWith(change)
    expect(answered).toMatchObject({ status: 400, body: { code } })
    expect(Object(answered.body).detail).toContain(words)
  })

  test('a root that was superseded too long ago, when the proof arrives', async () => {
    const { rpcUrl } = platform.anvil
    const later = await platform.startAnother({ aheadMs: 3_700_000 })
    await arrive()
    await page.route('**/login/*', async (route) => {
      await publishRoot({ rpcUrl, group: 'staging', root: 815n })
      const { pathname } = new URL(route.request().url())
      const headers = await route.request().allHeaders()
      await route.fulfill({ response: await route.fetch({ url: later.url + pathname, headers }) })
    })
    const taken = await takeRequest(await linkToWallet())
    await taken.approve('person-8', { rpcUrl, key: await developmentKey() })
    await page.getByText('The answer of your wallet is out of date. Try again.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
  })

  test('sign-in that is switched off: the page offers nothing but the way back', async () => {
    const closed = await registerClient(platform.url)
    await platform.db.query("update action set status = 'inactive' where app_id = $1", [closed.id])
    await page.goto(authorizeUrl(closed).replace(ISSUER, platform.env.AUTH_URL))
    await page.getByText('Sign-in to this app is switched off').waitFor()
    expect(await page.locator('#connect').count()).toBe(0)
    const back = page.waitForRequest((request) => request.url().startsWith(CALLBACK))
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(new URL((await back).url()).searchParams.get('error')).toBe('access_denied')
  })

  test('a request that cannot be answered, to a person who reads', async () => {
    await page.goto(`${platform.url}/authorize?client_id=nobody`)
    expect(await page.locator('main').textContent()).toContain('response_type is required')
  })
})

test('the page fits a phone, in light and in dark, whatever the name of the app', async () => {
  const longName = 'W'.repeat(128)
  await platform.db.query('update app set name = $2 where id = $1', [client.id, longName])
  // The server remembers apps for some seconds.
  await vi.waitFor(async () => {
    await arrive()
    expect(await page.locator('h1').textContent()).toContain(longName)
  }, 30_000)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [name, width] of Object.entries({ phone: 320, desk: 1200 })) {
      await page.setViewportSize({ width, height: 780 })
      await arrive()
      const overflow = await page.evaluate(
        () =>
          Object(globalThis).document.documentElement.scrollWidth - Object(globalThis).innerWidth,
      )
      expect(overflow, name).toBeLessThanOrEqual(0)
      if (process.env.SHOT)
        await page.screenshot({
          path: `${process.env.SHOT}-${colorScheme}-${name}.png`,
          fullPage: true,
        })
    }
  }
})
