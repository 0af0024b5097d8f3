import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../local/simulator/prove.ts'
import { takeRequest } from '../../../local/simulator/wallet.ts'
import { readVisibleText } from '../../support/chromium.ts'
import { authorizeUrl, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'

let scene: SignInScene
let tab: Tab

beforeAll(async () => {
  scene = await startSignInScene(createProver(await developmentKey()))
})
afterAll(() => scene.stop())
beforeEach(async () => {
  tab = await scene.openTab()
})
afterEach(() => tab.context.close())

test('a person signs in from the website with the simulator and returns, without errors in the browser', async () => {
  await tab.arrive()
  expect(await tab.page.title()).toBe('Sign in to Shop & <b>Co</b>')
  expect(await tab.page.locator('h1').textContent()).toBe('Sign in to \u2068Shop & <b>Co</b>\u2069')
  expect(await tab.page.locator('#code svg path').count()).toBe(1)
  const newPage = tab.context.waitForEvent('page')
  await tab.page.getByRole('link', { name: 'Use the simulator' }).click()
  const simulator = await newPage
  await simulator.getByText('Sign in to Shop & <b>Co</b>').waitFor()
  await simulator.getByLabel('As whom?').fill('person-7')
  await simulator.getByRole('button', { name: 'Approve' }).click()
  await simulator.getByText('The proof has been sent.').waitFor()
  await tab.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  const claims = await tab.page.locator('dl').textContent()
  expect(claims).toMatch(/sub0x[0-9a-f]{64}/)
  expect(claims).toContain('"credential_type":"orb"')
  expect(tab.complaints).toEqual([])
})

test('the page and the request to the wallet name the website', async () => {
  await tab.arrive()
  const place = new URL(scene.shop.url).host
  expect(await tab.page.locator('.place').textContent()).toContain(`at the website ${place}`)
  if (process.env.SHOT) {
    for (const width of [360, 1200]) {
      await tab.page.setViewportSize({ width, height: 780 })
      await tab.page.screenshot({ path: `${process.env.SHOT}-place-${width}.png`, fullPage: true })
    }
  }
  const { question } = await takeRequest(await tab.linkToWallet())
  expect(question.action_description).toBe(
    `Sign in to Shop & <b>Co</b> at ${place}. Approve only if you started this there.`,
  )
  expect(question.credential_types).toContain('device')
})

test('the page calls an app unverified until the operator has verified it', async () => {
  const newClient = await registerClient(scene.platform.url, { client_name: 'Your bank' })
  const place = async () => {
    await tab.page.goto(authorizeUrl(newClient).replace(ISSUER, scene.platform.env.AUTH_URL))
    return tab.page.locator('.place').textContent()
  }
  expect(await place()).toMatch(
    /at the website rp\.example\s+Not verified: any app can use this name\./,
  )
  await scene.platform.db.query('update app set is_verified = true where id = $1', [newClient.id])
  // The server caches apps for three seconds.
  await expect.poll(place).toMatch(/rp\.example\s+✓ Verified by the operator of this service\./)
})

test('an internationalized host name is shown in punycode', async () => {
  const redirect_uri = 'https://xn--pypal-4ve.example/callback'
  const newClient = await registerClient(scene.platform.url, { redirect_uris: [redirect_uri] })
  const url = authorizeUrl(newClient, { redirect_uri }).replace(ISSUER, scene.platform.env.AUTH_URL)
  await tab.page.goto(url)
  expect(await tab.page.locator('.place').textContent()).toContain('xn--pypal-4ve.example')
})

test('a website that opens the sign-in in a new window keeps access to the window', async () => {
  await tab.page.goto(scene.shop.url)
  const opening = tab.context.waitForEvent('page')
  await tab.page.evaluate(() => Object(globalThis).open('/sign-in', 'sign-in', 'width=400'))
  const signInPage = await opening
  // The script of the page handles the button only once the link is there.
  await signInPage.locator('#open[href]').waitFor()
  await signInPage.getByRole('button', { name: 'Cancel' }).click()
  await signInPage.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  expect(await signInPage.evaluate(() => Object(globalThis).opener !== null)).toBe(true)
})

test('without JavaScript the page says that it is missing, and shows no buttons', async () => {
  const bare = await scene.browser.newContext({ javaScriptEnabled: false })
  try {
    const still = await bare.newPage()
    await still.goto(`${scene.shop.url}/sign-in`)
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
])(
  'the text direction of the app name %j does not affect the text around it',
  async (name, visibleName) => {
    const newClient = await registerClient(scene.platform.url, { client_name: name })
    await tab.page.goto(authorizeUrl(newClient).replace(ISSUER, scene.platform.env.AUTH_URL))
    expect(await readVisibleText(tab.page, 'main > p')).toContain(
      `person. ${visibleName} learns only that, and`,
    )
  },
)

test('a person can reach every link and button by keyboard', async () => {
  await tab.page.goto(scene.shop.url)
  await tab.page.keyboard.press('Tab')
  await tab.page.keyboard.press('Enter')
  await tab.page.getByText('Scan the code with your wallet.').waitFor()
  const focused = () => tab.page.evaluate(() => Object(globalThis).document.activeElement.id)
  const visited: string[] = []
  for (let i = 0; i < 3; i++) {
    await tab.page.keyboard.press('Tab')
    visited.push(await focused())
  }
  expect(visited).toEqual(['open', 'simulate', 'cancel'])
  await tab.page.keyboard.press('Enter')
  await tab.page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
})

test('a person who cancels returns to the website, which shows the error', async () => {
  await tab.arrive()
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  await tab.page.getByRole('alert').waitFor()
  expect(await tab.page.getByRole('alert').textContent()).toBe('The person did not sign in.')
})

test('the page fits a phone in light and dark mode, even with a name of 128 characters', async () => {
  const longName = 'W'.repeat(128)
  await scene.platform.db.query('update app set name = $2 where id = $1', [
    scene.client.id,
    longName,
  ])
  // The server caches apps for three seconds.
  await vi.waitFor(async () => {
    await tab.arrive()
    expect(await tab.page.locator('h1').textContent()).toContain(longName)
  }, 30_000)
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.page.emulateMedia({ colorScheme })
    for (const [name, width] of Object.entries({ phone: 320, desk: 1200 })) {
      await tab.page.setViewportSize({ width, height: 780 })
      await tab.arrive()
      const overflow = await tab.page.evaluate(
        () =>
          Object(globalThis).document.documentElement.scrollWidth - Object(globalThis).innerWidth,
      )
      expect(overflow, name).toBeLessThanOrEqual(0)
      if (process.env.SHOT)
        await tab.page.screenshot({
          path: `${process.env.SHOT}-${colorScheme}-${name}.png`,
          fullPage: true,
        })
    }
  }
})
