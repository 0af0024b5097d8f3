import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { GO_VARIABLES, LANGUAGES, variablesOfLanguages } from '../../support/docs/languages.ts'
import { isInstalled, runToEnd } from '../../support/docs/programs.ts'
import { startWalletServer, type WalletServer } from '../../support/oidc/wallet-server.ts'
import { startPortal } from '../../support/portal/portal-scene.ts'

// Reads the programs and commands of the tab "Code" in a browser, and runs them as shown, with the packages from npm that are
// installed: the commands without the lines that install packages.

const ACTION = `vote for "it's"`

const { python, go } = LANGUAGES
const hasFlask = python.hasKeccak && isInstalled('python3', '-c', 'import flask')

/** The servers for protocol 3.0. A server is tested if its language and packages are installed. */
const SERVERS = [
  { language: 'Node', file: 'server.mjs', isHere: true },
  { language: 'Python', file: 'server.py', isHere: hasFlask },
  { language: 'Go', file: 'main.go', isHere: go.isHere && go.hasKeccak },
]

let scene: Awaited<ReturnType<typeof startPortal>>
let wallet: WalletServer
let context: BrowserContext
/** The folders of the websites. */
const folders: string[] = []

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  scene = await startPortal({ WALLET_BRIDGE_URL: wallet.url })
  wallet.setChain(scene.platform.anvil.rpcUrl, scene.platform.baseUrl)
  context = await scene.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(60_000)
})
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await context.close()
  await scene.stop()
  await wallet.stop()
})

describe('the website for protocol 3.0', () => {
  let website: Website

  beforeAll(async () => {
    // Here the name of the package belongs to version 4.
    website = await buildWebsite('3.0', { '@worldcoin/idkit': 'idkit-2' })
  })

  for (const { language, file, isHere } of SERVERS)
    test.skipIf(!isHere)(
      `the page and the server in ${language} verify a person once`,
      async () => {
        const url = await startServer(website, file)
        const result = await verifyOnce(url, language)
        expect(Object.keys(JSON.parse(result)).sort()).toEqual([
          'merkle_root',
          'nullifier_hash',
          'proof',
          'verification_level',
        ])
      },
    )

  test('the program for curl verifies the result of the widget once', async () => {
    const page = await openPage(await startServer(website, 'server.mjs'))
    // The server never gets the result, so that the program is the first to verify it.
    await page.route('**/verify', (route) => route.abort())
    const result = page.waitForRequest('**/verify')
    await approve(await copyLink(page), 'curl')
    writeFileSync(join(website.folder, 'proof.json'), (await result).postData() ?? '')
    const run = () => runCommands(website, 'verify.sh')
    expect(await run()).toMatchObject({ code: 0, output: expect.stringMatching(/^Verified/) })
    const refusal = expect.stringMatching(/^Refused.*max_verifications_reached/)
    expect(await run()).toMatchObject({ code: 1, output: refusal })
  })

  test('the command makes a proof of a simulated person, which the program for curl accepts', async () => {
    const command = website.read('proof of a simulated person')
    const inFolder = command.replace('> proof.json', `> ${website.folder}/proof.json`)
    const simulate = inFolder.replace(
      '--identity',
      `--rpc ${scene.platform.anvil.rpcUrl} --identity`,
    )
    expect(await runToEnd(['sh', '-c', simulate], { env: {} })).toMatchObject({ code: 0 })
    expect(await runCommands(website, 'verify.sh')).toMatchObject({ code: 0 })
  })
})

describe('the website for protocol 4.0', () => {
  let website: Website

  beforeAll(async () => {
    website = await buildWebsite('4.0')
  })

  test('the page and the server verify a person once, with a proof of protocol 4.0', async () => {
    await verifyOnce(await startServer(website, 'server.mjs'), 'Node')
  })

  test('the server refuses a result of a request that it did not sign', async () => {
    const response = await fetch(`${await startServer(website, 'server.mjs')}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ protocol_version: '4.0', nonce: '0x01', responses: [] }),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ detail: 'This server did not sign this request.' })
  })

  test('the command verifies a simulated person', async () => {
    const command = website
      .read('proof of a simulated person')
      .replace('--identity', `--rpc ${scene.platform.anvil.rpcUrl} --identity`)
    const { output } = await runToEnd(['sh', '-c', command], { env: {} })
    expect(output).toContain('"success":true')
    expect(output).toContain(JSON.stringify(ACTION))
  })
})

type Website = Awaited<ReturnType<typeof buildWebsite>>

/**
 * Writes the files of the tab "Code" to a folder, and builds their page. The folder is inside the project, so that the programs
 * find their packages.
 */
async function buildWebsite(protocol: string, alias: Record<string, string> = {}) {
  const { shown, signingKey } = await readCode(protocol)
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(resolve('.cache', 'website-'))
  folders.push(folder)
  for (const [label, content] of shown)
    if (/^[\w-]+\.\w+$/.test(label)) writeFileSync(join(folder, label), content)
  const read = (label: string) => requireValue(shown.get(label), `the code block ${label}`)
  expect(read('commands for the page')).toMatch(/\nnpx vite build$/)
  await build({ root: folder, configFile: false, logLevel: 'error', resolve: { alias } })
  return { folder, signingKey, read }
}

/** Creates an app with an action, and reads the code blocks of the action's tab "Code" by their labels. */
async function readCode(protocol: string) {
  const { graphql, team, email } = await scene.createUser()
  const appId = await scene.platform.app({ team: { id: team, apiKey: '', keyId: '' } })
  const actionId = await scene.platform.action(appId, { action: ACTION })
  const update = 'update action set protocol = $1 where id = $2'
  await scene.platform.db.query(update, [protocol, actionId])
  const { data } = await graphql(
    `mutation { create_request_key(app_id: "${appId}") { private_key } }`,
  )
  const signingKey: string = data.create_request_key.private_key
  const path = `/teams/${team}/apps/${appId}/actions/${actionId}`
  const { page } = await scene.openAs(email, path)
  await page.getByRole('tab', { name: 'Code' }).click()
  await page.getByRole('region', { name: 'page.jsx' }).waitFor()
  const shown = new Map<string, string>()
  for (const language of ['Node', 'Python', 'Go']) {
    const tab = page.getByRole('tab', { name: language, exact: true })
    if ((await tab.count()) > 0) await tab.click()
    for (const block of await page.getByRole('region').filter({ visible: true }).all())
      shown.set((await block.getAttribute('aria-label')) ?? '', (await block.textContent()) ?? '')
  }
  await scene.close(page)
  return { shown, signingKey }
}

/** Runs the shown commands of a server on a free port, until the end of the test. Returns the website's address. */
async function startServer(website: Website, file: string): Promise<string> {
  const port = await freePort()
  const script = commandsOf(website, file)
    .replace('PORT=3005', `PORT=${port}`)
    .replace('SIGNING_KEY=0x…', `SIGNING_KEY=${website.signingKey}`)
    // The test ends the process, so that the process must be the website.
    .replace('\ngo run .', '\ngo build -o website . && exec ./website')
    .replace(/\n(?=(node|python3) )/, '\nexec ')
  const child = spawn('sh', ['-ec', script], {
    cwd: website.folder,
    env: { ...variablesOfLanguages(website.folder), ...GO_VARIABLES },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://localhost:${port}`
  await vi.waitFor(() => fetch(url), { timeout: 90_000, interval: 200 })
  return url
}

/** Runs the shown commands of a program to its end. */
function runCommands(website: Website, file: string) {
  const script = `cd '${website.folder}'\n${commandsOf(website, file)}`
  return runToEnd(['sh', '-c', script], { env: variablesOfLanguages(website.folder) })
}

/** Returns the shown commands without those that install packages. */
function commandsOf({ read }: Website, file: string): string {
  return read(`commands for ${file}`).replaceAll(
    /^(npm install|pip install|python3 -m venv|go mod init) .*\n/gm,
    '',
  )
}

/** Verifies a person on the website, and a second time in vain. Returns the widget's result. */
async function verifyOnce(url: string, person: string): Promise<string> {
  const page = await openPage(url)
  const result = page.waitForRequest('**/verify')
  await approve(await copyLink(page), person)
  await page.getByRole('status').getByText('Verified.').waitFor()
  await page.close()
  const secondPage = await openPage(url)
  await approve(await copyLink(secondPage), person)
  await secondPage.getByText('This person has reached the verification limit').waitFor()
  await secondPage.close()
  return (await result).postData() ?? ''
}

/** Opens the website's page, and asks for a proof. */
async function openPage(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
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
async function approve(link: string, person: string) {
  const form = new URLSearchParams({ connect_url: link, person, answer: 'approve' })
  const answer = await fetch(wallet.url, { method: 'POST', body: form })
  expect(await answer.text()).toContain('Approved')
}
