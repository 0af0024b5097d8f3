import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { takeRequest } from '../../../local/simulator/wallet.ts'
import { authorizeUrl, CALLBACK, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'
import { proofFor } from '../../support/oidc/visitor.ts'

// What the sign-in page says when it does not go well.

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

/** Sends the page what a wallet would send, without a real proof. */
async function answerWith(change: Parameters<typeof proofFor>[1]) {
  const facts = JSON.parse((await tab.page.locator('#facts').textContent()) ?? '')
  const proof = await proofFor(facts, change)
  await tab.page.route('**/response/*', (route) => route.abort())
  const answered = await tab.page.evaluate(
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

test('who declines in the wallet is told so, and may try again', async () => {
  await tab.arrive()
  const first = await tab.linkToWallet()
  await (await takeRequest(first)).decline()
  await tab.page.getByText('You declined in your wallet.').waitFor()
  await tab.page.keyboard.press('Enter')
  await tab.page.getByText('Scan the code with your wallet.').waitFor()
  const second = await tab.linkToWallet()
  expect(second).not.toBe(first)
  const taken = await takeRequest(second)
  await tab.page.getByText('Now approve it in your wallet.').waitFor()
  expect(taken.question).toMatchObject({ app_id: scene.client.id, action: '' })
})

test('the page says that it cannot reach the wallet, and works again when the bridge is back', async () => {
  await scene.wallet.stop()
  await tab.page.goto(scene.shop.url)
  await tab.page.getByRole('link', { name: 'Sign in' }).click()
  await tab.page.getByText('This page cannot reach your wallet.').waitFor()
  await scene.wallet.start()
  await tab.page.getByRole('button', { name: 'Try again' }).click()
  await tab.page.getByText('Scan the code with your wallet.').waitFor()
})

describe('what the server refuses is said in words', () => {
  test.each([
    ['a proof for another action', { action: 'vote' }, 'invalid_proof', 'is not valid for'],
    ['a proof for another app', { app: 'app_staging_1' }, 'invalid_proof', 'is not valid for'],
    ['an unknown root', { root: 99n }, 'invalid_merkle_root', 'has this Merkle root'],
    ['an unheard-of level', { level: 'eye' }, 'invalid_request', 'Must be one of'],
  ])('%s', async (_name, change, code, words) => {
    await tab.arrive()
    const answered = await answerWith(change)
    expect(answered).toMatchObject({ status: 400, body: { code } })
    expect(Object(answered.body).detail).toContain(words)
  })

  test('a root that was superseded too long ago, when the proof arrives', async () => {
    const { rpcUrl } = scene.platform.anvil
    const later = await scene.platform.startAnother({ aheadMs: 3_700_000 })
    await tab.arrive()
    await tab.page.route('**/login/*', async (route) => {
      await publishRoot({ rpcUrl, group: 'staging', root: 815n })
      const { pathname } = new URL(route.request().url())
      const headers = await route.request().allHeaders()
      await route.fulfill({ response: await route.fetch({ url: later.url + pathname, headers }) })
    })
    const taken = await takeRequest(await tab.linkToWallet())
    await taken.approve('person-8', scene.world)
    await tab.page.getByText('The answer of your wallet is out of date. Try again.').waitFor()
    expect(await tab.page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
  })

  test('sign-in that is switched off: the page offers nothing but the way back', async () => {
    const closed = await registerClient(scene.platform.url)
    await scene.platform.db.query("update action set status = 'inactive' where app_id = $1", [
      closed.id,
    ])
    await tab.page.goto(authorizeUrl(closed).replace(ISSUER, scene.platform.env.AUTH_URL))
    await tab.page.getByText('Sign-in to this app is switched off').waitFor()
    expect(await tab.page.locator('#connect').count()).toBe(0)
    const back = tab.page.waitForRequest((request) => request.url().startsWith(CALLBACK))
    await tab.page.getByRole('button', { name: 'Cancel' }).click()
    expect(new URL((await back).url()).searchParams.get('error')).toBe('access_denied')
  })

  test('a request that cannot be answered, to a person who reads', async () => {
    await tab.page.goto(`${scene.platform.url}/authorize?client_id=nobody`)
    expect(await tab.page.locator('main').textContent()).toContain('response_type is required')
  })
})
