import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../local/process/free-port.ts'
import { startMailCatcher } from '../../../packages/platform/parts/mail-catcher.ts'
import { startRelyingParty } from '../../../packages/platform/parts/relying-party.ts'
import { registerClient } from '../oidc/register-client.ts'
import { serveSignIn } from '../oidc/serve-sign-in.ts'
import { startWalletServer } from '../oidc/wallet-server.ts'
import { startTestPlatform } from '../webhooks/start-platform.ts'

/** Starts the servers that have HTML pages: a platform, a sign-in server, a wallet simulator, a shop and a mail catcher. */
export async function startPages() {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  // Other files test the portal; here its pages are only the targets of links.
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<html><head></head><body>Portal</body></html>')
  writeFileSync(join(folder, 'pages.json'), '{"home":"/","logIn":"/log-in"}')
  const startPageFile = join(folder, 'start-page.html')
  const wallet = await startWalletServer(await freePort())
  const mail = await startMailCatcher({
    SMTP_PORT: await freePort(),
    MAIL_PAGE_PORT: await freePort(),
  })
  const platform = await startTestPlatform(
    { SMTP_URL: mail.smtpUrl, PORTAL_FOLDER: folder, START_PAGE_FILE: startPageFile },
    (baseUrl) => ({ WEBHOOKS_URL: baseUrl }),
  )
  wallet.setChain(platform.anvil.rpcUrl)
  const shopPort = await freePort()
  const authUrl = `http://localhost:${await freePort()}`
  const stopSignIn = await serveSignIn(platform, {
    AUTH_URL: authUrl,
    WALLET_BRIDGE_URL: wallet.url,
    SIMULATOR_URL: wallet.url,
    RATE_LIMIT_REGISTER: '1000000/60',
    DEVELOPMENT_REDIRECT_URIS: `http://localhost:${shopPort}/callback`,
  })
  const client = await registerClient(authUrl, { client_name: 'Corner shop' })
  const { id: clientId, secret: clientSecret } = client
  const shop = await startRelyingParty({ port: shopPort, authUrl, clientId, clientSecret })
  return {
    platform,
    wallet,
    mail,
    shop,
    authUrl,
    startPageFile,
    async stop() {
      await shop.stop()
      await stopSignIn()
      await platform.stop()
      await mail.stop()
      await wallet.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
