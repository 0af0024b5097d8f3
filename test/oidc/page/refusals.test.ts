import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { takeRequest } from '../../../local/simulator/wallet.ts'
import { authorizeUrl, CALLBACK, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'
import { proofFor } from '../../support/oidc/visitor.ts'

// Tests the texts that the sign-in page shows when a sign-in fails.

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

/** Submits a proof from the page without a wallet. */
async function answerWith(change: Parameters<typeof proofFor>[1]) {
  const facts = JSON.parse((await tab.page.locator('#facts').textContent()) ?? '')
  const proof = await proofFor(facts, change)
  await tab.page.route('**/response/*', (route) => route.abort())
  const answer = await tab.page.evaluate(
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
  return answer
}

test('a person who declines in the wallet reads that, and can try again', async () => {
  await tab.arrive()
  const first = await tab.linkToWallet()
  await (await takeRequest(first)).decline()
  await tab.page.getByText('You declined in your wallet.').waitFor()
  await tab.page.keyboard.press('Enter')
  await tab.page.getByText('Scan the code with your wallet.').waitFor()
  const second = await tab.linkToWallet()
  expect(second).not.toBe(first)
  const request = await takeRequest(second)
  await tab.page.getByText('Approve the request in your wallet.').waitFor()
  expect(request.question).toMatchObject({ app_id: scene.client.id, action: '' })
})

test('the page says that it cannot reach the wallet, and works once the bridge is back', async () => {
  await scene.wallet.stop()
  await tab.page.goto(scene.shop.url)
  await tab.page.getByRole('link', { name: 'Sign in' }).click()
  await tab.page.getByText('This page cannot reach your wallet.').waitFor()
  await scene.wallet.start()
  await tab.page.getByRole('button', { name: 'Try again' }).click()
  await tab.page.getByText('Scan the code with your wallet.').waitFor()
})

describe('a rejection by the server has an explanation', () => {
  test.each([
    ['another action', { action: 'vote' }, 'invalid_proof', 'is not valid for'],
    ['another app', { app: 'app_staging_1' }, 'invalid_proof', 'is not valid for'],
    ['an unknown root', { root: 99n }, 'invalid_merkle_root', 'has this Merkle root'],
    ['an unknown level', { level: 'eye' }, 'invalid_request', 'Must be one of'],
  ])('a proof with %s gets 400 with an explanation', async (_name, change, code, words) => {
    await tab.arrive()
    const answer = await answerWith(change)
    expect(answer).toMatchObject({ status: 400, body: { code } })
    expect(Object(answer.body).detail).toContain(words)
  })

  test('for a root that was superseded more than an hour ago the page says that the answer is out of date', async () => {
    const { rpcUrl } = scene.platform.anvil
    const later = await scene.platform.startAnother({ aheadMs: 3_700_000 })
    await tab.arrive()
    await tab.page.route('**/login/*', async (route) => {
      await publishRoot({ rpcUrl, group: 'staging', root: 815n })
      const { pathname } = new URL(route.request().url())
      const headers = await route.request().allHeaders()
      await route.fulfill({ response: await route.fetch({ url: later.url + pathname, headers }) })
    })
    const request = await takeRequest(await tab.linkToWallet())
    await request.approve('person-8', scene.world)
    await tab.page.getByText('Your wallet’s answer is out of date. Try again.').waitFor()
    expect(await tab.page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
  })

  test('while sign-in is switched off the page says so, and offers only to go back', async () => {
    const closedClient = await registerClient(scene.platform.url)
    await scene.platform.db.query("update action set status = 'inactive' where app_id = $1", [
      closedClient.id,
    ])
    await tab.page.goto(authorizeUrl(closedClient).replace(ISSUER, scene.platform.env.AUTH_URL))
    await tab.page.getByText('Sign-in to this app is switched off').waitFor()
    expect(await tab.page.locator('#connect').count()).toBe(0)
    const back = tab.page.waitForRequest((request) => request.url().startsWith(CALLBACK))
    await tab.page.getByRole('button', { name: 'Cancel' }).click()
    expect(new URL((await back).url()).searchParams.get('error')).toBe('access_denied')
  })

  test('a person with an invalid request reads the name of the missing parameter', async () => {
    await tab.page.goto(`${scene.platform.url}/authorize?client_id=nobody`)
    expect(await tab.page.locator('main').textContent()).toContain('response_type is required')
  })
})
