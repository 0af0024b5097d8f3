import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../local/simulator/prove.ts'
import { takeRequest } from '../../../local/simulator/wallet.ts'
import { textAsSeen } from '../../support/chromium.ts'
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

test('a person signs in with the simulator, from the website and back, and nothing is refused by the browser', async () => {
  await tab.arrive()
  expect(await tab.page.title()).toBe('Sign in to Shop & <b>Co</b>')
  expect(await tab.page.locator('h1').textContent()).toBe('Sign in to \u2068Shop & <b>Co</b>\u2069')
  expect(await tab.page.locator('#code svg path').count()).toBe(1)
  const opened = tab.context.waitForEvent('page')
  await tab.page.getByRole('link', { name: 'Use the simulator' }).click()
  const simulator = await opened
  await simulator.getByText('Sign in to Shop & <b>Co</b>').waitFor()
  await simulator.getByLabel('As whom?').fill('person-7')
  await simulator.getByRole('button', { name: 'Approve' }).click()
  await simulator.getByText('the proof is on its way').waitFor()
  await tab.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  const claims = await tab.page.locator('dl').textContent()
  expect(claims).toMatch(/sub0x[0-9a-f]{64}/)
  expect(claims).toContain('"credential_type":"orb"')
  expect(tab.complaints).toEqual([])
})

test('it says where the person is about to sign in, and so does the request to the wallet', async () => {
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
    `Sign in to Shop & <b>Co</b> at ${place}. Approve it only if you began it there.`,
  )
  expect(question.credential_types).toContain('device')
})

test('an app counts as unknown until the operator has verified it', async () => {
  const named = await registerClient(scene.platform.url, { client_name: 'Your bank' })
  const place = async () => {
    await tab.page.goto(authorizeUrl(named).replace(ISSUER, scene.platform.env.AUTH_URL))
    return tab.page.locator('.place').textContent()
  }
  expect(await place()).toMatch(
    /at the website rp\.example\s+Not verified: anybody may use this name\./,
  )
  await scene.platform.db.query('update app set is_verified = true where id = $1', [named.id])
  // The server remembers apps for some seconds.
  await expect.poll(place).toMatch(/rp\.example\s+✓ Verified by the people who run this service\./)
})

test('a host with letters that look like others is written in those that do not', async () => {
  const redirect_uri = 'https://xn--pypal-4ve.example/callback'
  const named = await registerClient(scene.platform.url, { redirect_uris: [redirect_uri] })
  const url = authorizeUrl(named, { redirect_uri }).replace(ISSUER, scene.platform.env.AUTH_URL)
  await tab.page.goto(url)
  expect(await tab.page.locator('.place').textContent()).toContain('xn--pypal-4ve.example')
})

test('a website that opens it in a window of its own stays in touch with that window', async () => {
  await tab.page.goto(scene.shop.url)
  const opening = tab.context.waitForEvent('page')
  await tab.page.evaluate(() => Object(globalThis).open('/sign-in', 'sign-in', 'width=400'))
  const opened = await opening
  // Before, the script of the page does not listen to the button.
  await opened.locator('#open[href]').waitFor()
  await opened.getByRole('button', { name: 'Cancel' }).click()
  await opened.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  expect(await opened.evaluate(() => Object(globalThis).opener !== null)).toBe(true)
})

test('without JavaScript the page says what is missing, and offers nothing that would not work', async () => {
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
])('a name that turns text around turns around nothing beside it: %j', async (name, seen) => {
  const named = await registerClient(scene.platform.url, { client_name: name })
  await tab.page.goto(authorizeUrl(named).replace(ISSUER, scene.platform.env.AUTH_URL))
  expect(await textAsSeen(tab.page, 'main > p')).toContain(`person. ${seen} learns that, and`)
})

test('a sign-in needs no mouse', async () => {
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

test('who cancels is back at the website, which is told', async () => {
  await tab.arrive()
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  await tab.page.getByRole('alert').waitFor()
  expect(await tab.page.getByRole('alert').textContent()).toBe('The person did not sign in.')
})

test('the page fits a phone, in light and in dark, whatever the name of the app', async () => {
  const longName = 'W'.repeat(128)
  await scene.platform.db.query('update app set name = $2 where id = $1', [
    scene.client.id,
    longName,
  ])
  // The server remembers apps for some seconds.
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
