import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { serveSignIn } from '../support/oidc/serve-sign-in.ts'
import { startWalletServer, type WalletServer } from '../support/oidc/wallet-server.ts'
import { signUpOwner } from '../support/portal/app-owner.ts'
import { followLink } from '../support/portal/follow-link.ts'
import {
  complaintsExcept400,
  type PortalScene,
  startPortal,
} from '../support/portal/portal-scene.ts'
import { WINDOWS } from '../support/portal/visits.ts'

/** The callback of a website that does not exist. The test only reads the redirect. */
const CALLBACK = 'https://shop.example/callback'

let scene: PortalScene
let wallet: WalletServer
let authUrl: string
let stopSignIn: () => Promise<void>

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  authUrl = `http://localhost:${await freePort()}`
  scene = await startPortal({
    AUTH_URL: authUrl,
    WALLET_BRIDGE_URL: wallet.url,
    SIMULATOR_URL: wallet.url,
  })
  wallet.setChain(scene.platform.anvil.rpcUrl)
  stopSignIn = await serveSignIn(scene.platform, { AUTH_URL: authUrl })
})
afterAll(async () => {
  await stopSignIn()
  await scene.stop()
  await wallet.stop()
})

test.each(WINDOWS)(
  'an owner sets up sign-in for an app, and a person signs in ($width px, $colorScheme)',
  async (window) => {
    const { app, email, path } = await signUpOwner(scene)
    const visit = await scene.openAs(email, path, window)
    const { page } = visit
    await followLink(page, 'Sign-in')
    await page.getByText(`${authUrl}/.well-known/openid-configuration`).waitFor()
    await addRedirect(page, 'http://shop.example/callback')
    await page.getByText('must not be on localhost').waitFor()
    await addRedirect(page, `${CALLBACK}#part`)
    await page.getByText('without a fragment').waitFor()
    await addRedirect(page, CALLBACK)
    await page.getByText('Redirect URI added.').waitFor()
    await addRedirect(page, CALLBACK)
    await page.getByText('already has this redirect URI').waitFor()

    const first = await createSecret(page)
    const second = await createSecret(page)
    expect(await exchange(app, first, 'any')).toEqual({ error: 'invalid_client' })

    const code = await testSignIn(page)
    expect(await exchange(app, second, code)).toEqual({ error: undefined })

    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Redirect URI removed.').waitFor()
    expect(await page.getByText(CALLBACK).count()).toBe(0)
    expect(complaintsExcept400(visit)).toEqual([])
    await scene.close(page)
  },
)

async function addRedirect(page: Page, uri: string) {
  await page.getByLabel('Add a redirect URI').fill(uri)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

/** Creates a client secret, and reads it from the dialog. */
async function createSecret(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Make a new secret' }).click()
  await dialog.getByText('Copy the client secret now').waitFor()
  const secret = await dialog.locator('code').textContent()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'hidden' })
  return secret ?? ''
}

/** Presses "Test sign-in", answers as a simulated person, and returns the authorization code. */
async function testSignIn(page: Page): Promise<string> {
  // A proof takes some seconds, and longer on a busy machine.
  page.context().setDefaultTimeout(100_000)
  const signIn = await openedPage(page, () => page.getByText('Test sign-in').click())
  const back = signIn.waitForRequest((request) => request.url().startsWith(CALLBACK))
  const simulator = await openedPage(signIn, () => signIn.locator('#simulate[href]').click())
  await simulator.getByRole('button', { name: 'Approve' }).click()
  const url = (await back).url()
  await signIn.close()
  await simulator.close()
  return new URL(url).searchParams.get('code') ?? ''
}

async function openedPage(page: Page, open: () => Promise<void>): Promise<Page> {
  const [other] = await Promise.all([page.context().waitForEvent('page'), open()])
  return other
}

/** Exchanges a code, and returns the error of the sign-in server. */
async function exchange(client: string, secret: string, code: string) {
  const response = await fetch(`${authUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', redirect_uri: CALLBACK, code }),
  })
  return { error: Object(await response.json()).error }
}
