import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { libraryPrograms } from '../../../portal/pages/sign-in/library-programs.ts'
import { isInstalled } from '../../support/docs/programs.ts'
import { serveSignIn } from '../../support/oidc/serve-sign-in.ts'
import { startWalletServer, type WalletServer } from '../../support/oidc/wallet-server.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { type PortalScene, startPortal } from '../../support/portal/portal-scene.ts'
import type { Visit } from '../../support/portal/visits.ts'

// Reads the programs and commands of the page "Sign-in" in a browser. Runs two websites as shown, on another port than 4000 and
// without the commands that install packages. test/docs/sign-in.test.ts runs the same files for the other libraries.

/** A simulated person proves something for some seconds, and longer on a busy machine. */
const PROOF_MS = 100_000

let scene: PortalScene
let wallet: WalletServer
let authUrl: string
let stopSignIn: () => Promise<void>
let owner: Awaited<ReturnType<typeof signUpOwner>>
let visit: Visit
const folders: string[] = []

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  authUrl = `http://localhost:${await freePort()}`
  scene = await startPortal({
    AUTH_URL: authUrl,
    WALLET_BRIDGE_URL: wallet.url,
    SIMULATOR_URL: wallet.url,
  })
  wallet.setChain(scene.platform.anvil.rpcUrl)
  // As with npm start, staging apps may have redirects to localhost.
  await scene.platform.db.query('insert into local_development values (true)')
  stopSignIn = await serveSignIn(scene.platform, {
    AUTH_URL: authUrl,
    NODE_ENV: 'development',
    LOCALHOST_REDIRECTS: 'true',
  })
  owner = await signUpOwner(scene)
  visit = await scene.openAs(owner.email, `${owner.path}/sign-in`)
})
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await stopSignIn()
  await scene.stop()
  await wallet.stop()
})

test("the page shows each library's program unchanged, with commands for this app", async () => {
  for (const program of libraryPrograms({ issuer: authUrl, clientId: owner.app })) {
    const { text, commands } = await readProgram(program.title)
    expect(text).toBe(program.text.trim())
    expect(commands).toBe(program.commands)
    expect(commands).toContain(authUrl)
    expect(commands).toContain(owner.app)
  }
})

test.skipIf(!isInstalled('python3'))(
  'a single page signs people in once the app is a public client, and survives a cancelled sign-in',
  async () => {
    const { page } = visit
    const program = await readProgram('A single page with oidc-client-ts')
    await page.getByText('This program needs another kind of client').waitFor()
    await page.getByRole('button', { name: 'Use without a secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use without a secret' }).click()
    await page.getByText('This app is a public client').waitFor()
    await page.getByText('This program needs another kind of client').waitFor({ state: 'hidden' })
    expect(await page.getByRole('button', { name: 'Use without a secret' }).count()).toBe(0)

    const website = await startWebsite(program)
    await addRedirect(`${website}/`)
    const person = await openWebsite(website)
    await person.getByRole('button', { name: 'Sign in' }).click()
    await cancelSignIn(person)
    await person.getByText('The person did not sign in').waitFor()
    await person.getByRole('button', { name: 'Sign in' }).click()
    await signIn(person)
    await person.getByText(/^You are 0x[0-9a-f]{64}$/).waitFor()
  },
)

test('a website in Express signs people in with a new secret, and answers a cancelled sign-in', async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Make a new secret' }).click()
  await dialog.getByText('Copy the client secret now').waitFor()
  const secret = requireValue(await dialog.locator('code').textContent(), 'the secret')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Use without a secret' }).waitFor()

  const website = await startWebsite(await readProgram('Express with openid-client'), secret)
  await addRedirect(`${website}/callback`)
  const person = await openWebsite(website)
  await person.getByRole('link', { name: 'Sign in' }).click()
  await cancelSignIn(person)
  await person.getByText('You are not signed in.').waitFor()
  await person.getByRole('link', { name: 'Try again' }).click()
  await signIn(person)
  await person.getByText(/^You are 0x[0-9a-f]{64}$/).waitFor()
})

type ShownProgram = { file: string; text: string; commands: string }

/** Chooses a library on the page, and reads its program. */
async function readProgram(title: string): Promise<ShownProgram> {
  const { page } = visit
  await page.getByRole('combobox', { name: 'Library' }).click()
  await page.getByRole('option', { name: title, exact: true }).click()
  const block = page.getByRole('region', { name: title, exact: true })
  const text = requireValue(await block.textContent(), 'the program')
  const commands = await page.getByRole('region', { name: 'commands' }).textContent()
  const programs = libraryPrograms({ issuer: authUrl, clientId: owner.app })
  const { file } = requireValue(
    programs.find((program) => program.title === title),
    'the program',
  )
  await page.getByText(file, { exact: true }).waitFor()
  return { file, text, commands: requireValue(commands, 'the commands') }
}

/** Runs the shown commands in a folder inside the project, until the end of the test. Returns the website's address. */
async function startWebsite({ file, text, commands }: ShownProgram, secret = ''): Promise<string> {
  const port = await freePort()
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(resolve('.cache', 'sign-in-'))
  folders.push(folder)
  writeFileSync(join(folder, file), text)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const script = commands
    .replaceAll(/^npm install .*\n/gm, '')
    .replaceAll('4000', String(port))
    .replace('CLIENT_SECRET=…', `CLIENT_SECRET=${secret}`)
    .replace(/\n(?=(node|python3) )/, '\nexec ')
  const { PATH = '' } = process.env
  const child = spawn('sh', ['-ec', script], { cwd: folder, env: { PATH }, stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://localhost:${port}`
  await vi.waitFor(() => fetch(url), { timeout: 30_000, interval: 200 })
  return url
}

async function addRedirect(uri: string) {
  const { page } = visit
  await page.getByLabel('Add a redirect URI').fill(uri)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('code').getByText(uri, { exact: true }).waitFor()
}

async function openWebsite(url: string): Promise<Page> {
  const context = await scene.browser.newContext({ locale: 'en' })
  context.setDefaultTimeout(PROOF_MS)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(url)
  return page
}

async function cancelSignIn(page: Page) {
  await page.getByRole('button', { name: 'Cancel and go back' }).click()
}

/** Approves the sign-in as a simulated person. */
async function signIn(page: Page) {
  const [simulator] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator('#simulate[href]').click(),
  ])
  await simulator.getByRole('button', { name: 'Approve' }).click()
}
