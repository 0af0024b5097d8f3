import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { takeRequest } from '../../../simulator/wallet.ts'
import { authorizeUrl, CALLBACK, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'

// A sign-in lasts ten minutes, and a bridge keeps a request for as long as it likes.

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

/** Goes to the page, and ten minutes into the future, in which the server has forgotten the sign-in. */
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

/** Where the browser goes when the person cancels. */
async function cancel(): Promise<URL> {
  await tab.page.route(`${CALLBACK}**`, (route) => route.fulfill({ body: 'back' }))
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  await tab.page.getByText('back', { exact: true }).waitFor()
  return new URL(tab.page.url())
}

test('it says how much time is left', async () => {
  await tab.page.clock.install()
  await tab.arrive()
  await expect
    .poll(() => tab.page.locator('#time').textContent())
    .toMatch(/^Time left: (9:5|10:0)\d$/)
  await tab.page.clock.fastForward(300_000)
  await expect.poll(() => tab.page.locator('#time').textContent()).toMatch(/^Time left: 4:\d\d$/)
})

test('who was too slow begins a new sign-in with a click, and the website gets what it waits for', async () => {
  await waitTooLong(() => tab.arrive())
  expect(await tab.page.locator('#connect').isVisible()).toBe(false)
  const first = tab.page.url()
  await tab.page.getByRole('button', { name: 'Try again' }).click()
  await tab.page.locator('#open[href]').waitFor()
  expect(tab.page.url()).not.toBe(first)
  await (await takeRequest(await tab.linkToWallet())).approve('person-2', scene.world)
  await tab.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
})

test('an answer to a sign-in that the server has forgotten leads to a new one, too', async () => {
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
])('who cancels a sign-in that has ended is back at the website: %j', async (parameters, part) => {
  await waitTooLong(() => goTo(parameters))
  const { hash, searchParams } = await cancel()
  const answer = part ? new URLSearchParams(hash.slice(1)) : searchParams
  expect(Object.fromEntries(answer)).toEqual({
    error: 'access_denied',
    error_description: 'The person did not sign in.',
    state: 'some-state',
    iss: scene.platform.env.AUTH_URL,
  })
})

test('so is who was to be sent back by a form', async () => {
  await waitTooLong(() => goTo({ response_mode: 'form_post' }))
  const posted = tab.page.waitForRequest((request) => request.url().startsWith(CALLBACK))
  await tab.page.getByRole('button', { name: 'Cancel' }).click()
  expect((await posted).method()).toBe('POST')
  expect(new URLSearchParams((await posted).postData() ?? '').get('state')).toBe('some-state')
})

test('who cancels while the server is away is back at the website', async () => {
  await goTo({})
  await tab.page.locator('#open[href]').waitFor()
  await tab.page.route('**/cancel', (route) => route.abort())
  expect((await cancel()).searchParams.get('error')).toBe('access_denied')
})

test('a request that the bridge has forgotten is made anew, in place, a few times', async () => {
  await tab.arrive()
  const first = await tab.linkToWallet()
  await tab.page.route('**/response/*', (route) => route.fulfill({ status: 404 }), { times: 1 })
  await expect.poll(() => tab.linkToWallet()).not.toBe(first)
  expect(await tab.page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  await tab.page.route('**/response/*', (route) => route.fulfill({ status: 404 }))
  await tab.page.getByText('This page cannot reach your wallet.').waitFor()
})
