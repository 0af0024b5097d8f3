import type { Browser, BrowserContextOptions } from 'playwright-core'
import { freePort } from '../../../local/process/free-port.ts'
import type { ProvingTools } from '../../../local/simulator/prove-for-person.ts'
import {
  type RelyingParty,
  startRelyingParty,
} from '../../../packages/platform/parts/relying-party.ts'
import { startBrowser } from '../chromium.ts'
import { walletTools } from '../simulator/wallet-tools.ts'
import { registerClient } from './register-client.ts'
import { startTestSignIn } from './start-sign-in.ts'
import { startWalletServer } from './wallet-server.ts'

export type SignInScene = Awaited<ReturnType<typeof startSignInScene>>

/** Starts a website, its sign-in server, a wallet bridge and a browser. */
export async function startSignInScene(prove?: ProvingTools['prove']) {
  const wallet = await startWalletServer(await freePort(), prove)
  const authUrl = `http://localhost:${await freePort()}`
  const shopPort = await freePort()
  const platform = await startTestSignIn({
    AUTH_URL: authUrl,
    WALLET_BRIDGE_URL: wallet.url,
    SIMULATOR_URL: wallet.url,
    DEVELOPMENT_REDIRECT_URIS: `http://localhost:${shopPort}/callback`,
  })
  wallet.setChain(platform.anvil.rpcUrl)
  const client = await registerClient(platform.url, { client_name: 'Shop & <b>Co</b>' })
  const shop: RelyingParty = await startRelyingParty({
    port: shopPort,
    authUrl,
    clientId: client.id,
    clientSecret: client.secret,
  })
  const browser = await startBrowser()
  return {
    platform,
    wallet,
    client,
    shop,
    browser,
    /** Opens a tab without cookies, and collects the errors of its console. */
    openTab: (device: BrowserContextOptions = {}) => openTab(browser, shop.url, device),
    /** What the wallet of simulated people uses. */
    world: walletTools(platform.anvil, prove),
    async stop() {
      await browser.close()
      await shop.stop()
      await wallet.stop()
      await platform.stop()
    },
  }
}

export type Tab = Awaited<ReturnType<SignInScene['openTab']>>

async function openTab(browser: Browser, shopUrl: string, device: BrowserContextOptions) {
  const context = await browser.newContext(device)
  // Long, because a proof takes half a minute on a busy machine.
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return {
    context,
    page,
    complaints,
    /** Goes from the website to the sign-in page, and waits until the page shows its request to the wallet. */
    async arrive() {
      await page.goto(shopUrl)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.locator('#open[href]').waitFor()
    },
    linkToWallet: async () => (await page.locator('#open').getAttribute('href')) ?? '',
  }
}
