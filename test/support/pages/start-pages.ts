import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSignInConfig } from '../../../lib/config.ts'
import { freePort } from '../../../lib/process/free-port.ts'
import { createLogger } from '../../../lib/telemetry/log.ts'
import { signInApp } from '../../../oidc/app.ts'
import { startServices } from '../../../oidc/services.ts'
import { startMailCatcher } from '../../../platform/parts/mail-catcher.ts'
import { startRelyingParty } from '../../../platform/parts/relying-party.ts'
import { registerClient } from '../oidc/register-client.ts'
import { walletServer } from '../oidc/wallet-server.ts'
import { startTestPlatform } from '../webhooks/start-platform.ts'

/** One platform with every server of it that shows people pages; its mail is caught. */
export async function startPages() {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  // The portal's own pages are tested elsewhere: here it is only a way on.
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<html><head></head><body>Portal</body></html>')
  writeFileSync(join(folder, 'pages.json'), '{"home":"/","logIn":"/log-in"}')
  const startPageFile = join(folder, 'start-page.html')
  const wallet = await walletServer(await freePort())
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
  const stopSignIn = await startSignInServer({
    ...platform.env,
    AUTH_URL: authUrl,
    DATABASE_URL: platform.db.as('sign_in'),
    COOKIE_KEYS: 'first-cookie-key-of-these-tests-,second-cookie-key-of-these-test-',
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

async function startSignInServer(env: Record<string, string>): Promise<() => Promise<void>> {
  const log = createLogger('test', 'silent')
  const services = await startServices(readSignInConfig(env), { log, now: Date.now })
  const server = createServer(signInApp(services))
  const port = Number(new URL(env.AUTH_URL ?? '').port)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await services.close()
  }
}
