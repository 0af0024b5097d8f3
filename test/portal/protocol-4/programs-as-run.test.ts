import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import express from 'express'
import type { BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { freePort } from '../../../local/process/free-port.ts'
import {
  pageProgram,
  serverProgram,
  simulateCommand,
} from '../../../portal/pages/action/programs-4.ts'
import { startWalletServer, type WalletServer } from '../../support/oidc/wallet-server.ts'
import { startPortal } from '../../support/portal/portal-scene.ts'

// Runs the programs of the tab "Code" with the packages from npm: the server in Node, and the page in a browser.

const ACTION = 'vote'

let scene: Awaited<ReturnType<typeof startPortal>>
let wallet: WalletServer
/** A folder inside the project, so that the programs find their packages. */
let folder: string
let website: Awaited<ReturnType<typeof startWebsite>>
let context: BrowserContext

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  scene = await startPortal({ WALLET_BRIDGE_URL: wallet.url })
  wallet.setChain(scene.platform.anvil.rpcUrl, scene.platform.baseUrl)
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync(resolve('.cache', 'programs-'))
  website = await startWebsite(await createApp())
  context = await scene.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(40_000)
})
afterAll(async () => {
  await context.close()
  await website.stop()
  await scene.stop()
  await wallet.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the page and the server verify a person once, with a proof of protocol 4.0', async () => {
  const page = await openPage()
  await approve(await copyLink(page))
  await page.getByRole('status').getByText('Verified.').waitFor()
  const { rows } = await scene.platform.db.query('select uses from nullifier')
  expect(rows).toEqual([{ uses: 1 }])
  await page.close()
  const secondPage = await openPage()
  await approve(await copyLink(secondPage))
  await secondPage.getByText('This person has reached the verification limit').waitFor()
})

test('the command verifies a simulated person', async () => {
  const { appId } = await createApp()
  const command = simulateCommand(purposeOf(appId)).replace(
    '--identity bob',
    `--identity bob --rpc ${scene.platform.anvil.rpcUrl}`,
  )
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  expect(JSON.parse(stdout)).toMatchObject({ success: true, action: ACTION })
})

test('the server refuses a result of a request that it did not sign', async () => {
  const response = await fetch(`${website.url}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ protocol_version: '4.0', nonce: '0x01', responses: [] }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ detail: 'This server did not sign this request.' })
})

/** Creates an app with an action of protocol 4.0 and a request signing key. */
async function createApp() {
  const { graphql, team } = await scene.createUser()
  const appId = await scene.platform.app({ team: { id: team, apiKey: '', keyId: '' } })
  const actionId = await scene.platform.action(appId)
  await scene.platform.db.query("update action set protocol = '4.0' where id = $1", [actionId])
  const { data } = await graphql(
    `mutation { create_request_key(app_id: "${appId}") { private_key } }`,
  )
  const signingKey: string = data.create_request_key.private_key
  return { appId, signingKey }
}

/** Starts the server of the programs, and bundles their page. */
async function startWebsite({ appId, signingKey }: { appId: string; signingKey: string }) {
  const port = await freePort()
  const purpose = purposeOf(appId)
  writeFileSync(join(folder, 'server.mjs'), serverProgram(purpose))
  writeFileSync(join(folder, 'page.jsx'), pageProgram(purpose))
  writeFileSync(
    join(folder, 'index.html'),
    '<div id="page"></div><script type="module" src="./page.jsx"></script>',
  )
  const child = spawn(process.execPath, [join(folder, 'server.mjs')], {
    env: { PORT: String(port), SIGNING_KEY: signingKey },
    stdio: 'inherit',
  })
  const serverUrl = `http://localhost:${port}`
  await vi.waitFor(() => fetch(serverUrl), { timeout: 30_000 })
  const pageServer = await servePage(await bundlePage(), serverUrl)
  return {
    url: pageServer.url,
    async stop() {
      await pageServer.stop()
      child.kill()
      await once(child, 'exit')
    },
  }
}

function purposeOf(appId: string) {
  return {
    appId,
    rpId: rpIdOfApp(appId),
    action: ACTION,
    baseUrl: scene.platform.baseUrl,
    bridgeUrl: wallet.url,
  }
}

/** Serves the page, and passes its requests on to the server of the programs, as a proxy of a website does. */
async function servePage(files: ReadonlyMap<string, Buffer>, serverUrl: string) {
  const web = express()
  web.get('/{*path}', ({ path }, response, next) => {
    const file = files.get(path === '/' ? 'index.html' : path.slice(1))
    if (!file) return next()
    response.type(path === '/' ? '.html' : extname(path)).send(file)
  })
  web.post('/{*path}', express.text({ type: () => true }), async ({ path, body }, response) => {
    const answer = await fetch(`${serverUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : '{}',
    })
    response.status(answer.status).json(await answer.json())
  })
  const server = web.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Address.parse(server.address())
  return {
    url: `http://localhost:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const Address = z.object({ port: z.number() })

/** Bundles the page in memory. Returns the files by name. */
async function bundlePage(): Promise<Map<string, Buffer>> {
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false },
  })
  if (Array.isArray(result) || !('output' in result)) throw new Error('expected one bundle')
  return new Map(
    result.output.map((file) => [
      file.fileName,
      Buffer.from(file.type === 'asset' ? file.source : file.code),
    ]),
  )
}

/** Opens the page, and asks for a proof. */
async function openPage(): Promise<Page> {
  const page = await context.newPage()
  await page.goto(website.url)
  await page.getByRole('button', { name: 'Prove that I am a unique person' }).click()
  return page
}

/** Clicks the widget's QR code, which copies its link. */
async function copyLink(page: Page): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")')
  await page.locator('[data-test-id="qr-code"]:visible').click()
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(readClipboard).not.toBe('')
  return readClipboard()
}

/** Submits the form of the simulator's page. */
async function approve(link: string) {
  const form = new URLSearchParams({ connect_url: link, person: 'person-1', answer: 'approve' })
  const answer = await fetch(wallet.url, { method: 'POST', body: form })
  expect(await answer.text()).toContain('Approved')
}
