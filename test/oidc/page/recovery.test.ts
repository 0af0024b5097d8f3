import { devices } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { takeRequest } from '../../../local/simulator/wallet.ts'
import { authorizeUrl, CALLBACK, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'

// A sign-in lasts ten minutes, and a bridge may drop a request at any time.

let scene: SignInScene
let tab: Tab

beforeAll(async () => {
  scene = await startSignInScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  tab = await scene.openTab()
})
afterEach(() => tab.context.close())

const forgetSignIns = () =>
  scene.platform.db.query("delete from oidc_artifact where model = 'Interaction'")

/** Opens the page, moves its clock forward by ten minutes, and deletes the sign-in at the server. */
async function waitTooLong(go: () => Promise<unknown>) {
  await tab.page.clock.install()
  await go()
  await tab.page.locator('#open[href]').waitFor()
  await tab.page.clock.fastForward(601_000)
  await forgetSignIns()
  await tab.page.getByText('This sign-in took too long.').waitFor()
}

async function goTo(parameters: Record<string, string>) {
  const client = await registerClient(scene.platform.url)
  const url = authorizeUrl(client, parameters).replace(ISSUER, scene.platform.env.AUTH_URL)
  await tab.page.goto(url)
}

/** Cancels, and returns the URL at which the browser arrives. */
async function cancel(): Promise<URL> {
  await tab.page.route(`${CALLBACK}**`, (route) => route.fulfill({ body: 'back' }))
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  await tab.page.getByText('back', { exact: true }).waitFor()
  return new URL(tab.page.url())
}

test('the page shows the time left', async () => {
  await tab.page.clock.install()
  await tab.arrive()
  await expect
    .poll(() => tab.page.locator('#time').textContent())
    .toMatch(/^Time left: (9:5|10:0)\d$/)
  await tab.page.clock.fastForward(300_000)
  await expect.poll(() => tab.page.locator('#time').textContent()).toMatch(/^Time left: 4:\d\d$/)
})

test('after a sign-in has expired, "Try again" starts a new sign-in, and the website gets the result', async () => {
  await waitTooLong(() => tab.arrive())
  expect(await tab.page.locator('#connect').isVisible()).toBe(false)
  const first = tab.page.url()
  await tab.page.getByRole('button', { name: 'Try again' }).click()
  await tab.page.locator('#open[href]').waitFor()
  expect(tab.page.url()).not.toBe(first)
  await (await takeRequest(await tab.linkToWallet())).approve('person-2', scene.world)
  await tab.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
})

test('after a proof for an expired sign-in, "Try again" starts a new sign-in', async () => {
  await tab.arrive()
  await forgetSignIns()
  await (await takeRequest(await tab.linkToWallet())).approve('person-3', scene.world)
  await tab.page.getByText('This sign-in took too long.').waitFor()
  const first = tab.page.url()
  await tab.page.keyboard.press('Enter')
  await tab.page.locator('#open[href]').waitFor()
  expect(tab.page.url()).not.toBe(first)
})

test.each([
  [{}, ''],
  [{ response_mode: 'fragment' }, 'hash'],
  [{ response_type: 'id_token' }, 'hash'],
])(
  'a person who cancels an expired sign-in with %j returns to the website with access_denied',
  async (parameters, part) => {
    await waitTooLong(() => goTo(parameters))
    const { hash, searchParams } = await cancel()
    const answer = part ? new URLSearchParams(hash.slice(1)) : searchParams
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: 'The person did not sign in.',
      state: 'some-state',
      iss: scene.platform.env.AUTH_URL,
    })
  },
)

test('a person who cancels an expired sign-in with response_mode=form_post returns to the website by a form', async () => {
  await waitTooLong(() => goTo({ response_mode: 'form_post' }))
  const formRequest = tab.page.waitForRequest((request) => request.url().startsWith(CALLBACK))
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  expect((await formRequest).method()).toBe('POST')
  expect(new URLSearchParams((await formRequest).postData() ?? '').get('state')).toBe('some-state')
})

test('a person who cancels while the server is unreachable returns to the website', async () => {
  await goTo({})
  await tab.page.locator('#open[href]').waitFor()
  await tab.page.route('**/cancel', (route) => route.abort())
  expect((await cancel()).searchParams.get('error')).toBe('access_denied')
})

test('the page sends a new request after the bridge has dropped a request, and gives up if the bridge drops every request', async () => {
  await tab.arrive()
  const first = await tab.linkToWallet()
  await tab.page.route('**/response/*', (route) => route.fulfill({ status: 404 }), { times: 1 })
  await expect.poll(() => tab.linkToWallet()).not.toBe(first)
  expect(await tab.page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  await tab.page.route('**/response/*', (route) => route.fulfill({ status: 404 }))
  await tab.page.getByText('This page cannot reach your wallet.').waitFor()
})

describe('a page that the phone unloads while the wallet is open continues after the reload', () => {
  let phone: Tab

  beforeEach(async () => {
    const { viewport, userAgent, isMobile, hasTouch } = devices['Pixel 7'] ?? {}
    phone = await scene.openTab({ viewport, userAgent, isMobile, hasTouch })
    await phone.arrive()
  })
  afterEach(() => phone.context.close())

  async function dropPage() {
    const at = phone.page.url()
    await phone.page.goto('about:blank')
    return () => phone.page.goto(at)
  }

  test('a reloaded page gets an approval that was given while it was unloaded', async () => {
    const request = await takeRequest(await phone.linkToWallet())
    const loadAgain = await dropPage()
    await request.approve('person-5', scene.world)
    await loadAgain()
    await phone.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  })

  test('a reloaded page gets an approval that is given after the reload', async () => {
    const link = await phone.linkToWallet()
    const request = await takeRequest(link)
    await (await dropPage())()
    await phone.page.locator('#open[href]').waitFor()
    expect(await phone.linkToWallet()).toBe(link)
    await request.approve('person-6', scene.world)
    await phone.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  })

  test('a reloaded page sends a new request when the person tries again', async () => {
    const link = await phone.linkToWallet()
    await takeRequest(link)
    await (await dropPage())()
    await phone.page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => phone.linkToWallet()).not.toBe(link)
    const another = await takeRequest(await phone.linkToWallet())
    await another.approve('person-7', scene.world)
    await phone.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  })

  test('a reloaded page sends a new request if the wallet has declined the first request', async () => {
    const link = await phone.linkToWallet()
    await (await takeRequest(link)).decline()
    await phone.page.getByText('You declined in your wallet.').waitFor()
    await (await dropPage())()
    await phone.page.locator('#open[href]').waitFor()
    expect(await phone.linkToWallet()).not.toBe(link)
  })
})

test('a person can sign in with a browser that forbids the session storage', async () => {
  await tab.page.addInitScript(() => {
    Object.defineProperty(globalThis, 'sessionStorage', {
      get: () => {
        throw new DOMException('refused', 'SecurityError')
      },
    })
  })
  await tab.arrive()
  await (await takeRequest(await tab.linkToWallet())).approve('person-8', scene.world)
  await tab.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
})
