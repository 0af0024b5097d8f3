import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { type Facts, readFacts } from '../../packages/platform/facts.ts'
import { readSettings } from '../../packages/platform/settings/settings.ts'
import { startBrowser } from '../support/chromium.ts'
import { followLink } from '../support/portal/follow-link.ts'

const FOLDER = 'docs/pictures'
const PASSWORD = 'difference'
const VOTERS = 2
const MEMBERS = 3
const WIDTH = 1100

// The command `npm run pictures`: signs up a user on the running platform, and takes screenshots of the portal.
const facts = readFacts(readSettings(process.env).folder)
const browser = await startBrowser()
const page = await browser.newPage({
  viewport: { width: WIDTH, height: 700 },
  deviceScaleFactor: 1,
})
mkdirSync(FOLDER, { recursive: true })
await signUp(page, facts)
await createApp(page)
const app = /app_staging_[0-9a-f]+/.exec(page.url())?.[0] ?? ''
await createAction(page, 'vote', 'Vote for a move')
await verifyPeople(page, VOTERS, { app, action: 'vote' })
await followLink(page, 'Actions')
await createAction(page, 'join', 'Join the club')
await verifyPeople(page, MEMBERS, { app, action: 'join' })
// High enough to show the people below the chart.
await page.setViewportSize({ width: WIDTH, height: 960 })
await draw(page, 'action')
await page.setViewportSize({ width: WIDTH, height: 700 })
await followLink(page, 'All apps')
await followLink(page, 'Overview')
await page.getByText(`${VOTERS + MEMBERS} people verified for the first time`).waitFor()
await draw(page, 'overview')
await browser.close()

async function signUp(on: Page, { baseUrl, mailUrl }: Facts) {
  const email = `ada-${Date.now()}@example.com`
  await on.goto(`${baseUrl}/sign-up`)
  await on.getByLabel('Your name').fill('Ada Lovelace')
  await on.getByLabel('E-mail address').fill(email)
  await on.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await on.getByLabel('Team name').fill('Analytical Engines')
  await on.getByRole('button', { name: 'Sign up' }).click()
  await on.getByRole('heading', { name: 'Verify your e-mail address' }).waitFor()
  await followMailedLink(email, mailUrl)
  await on.getByRole('button', { name: 'I have opened the link' }).click()
  await on.getByText('No app yet').waitFor()
}

async function followMailedLink(email: string, mailUrl: string) {
  const mail = await browser.newPage()
  await mail.goto(mailUrl)
  while (!(await mail.content()).includes(email)) await mail.reload()
  const content = await mail.content()
  const link = /http[^"\s]+\/api\/v1\/verify-email\?token=[\w-]+/
  const [address = ''] = link.exec(content.slice(content.indexOf(email))) ?? []
  await mail.goto(address)
  await mail.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await mail.getByRole('button', { name: 'Verify my address' }).click()
  await mail.getByRole('heading', { name: 'Your address is verified' }).waitFor()
  await mail.close()
}

async function createApp(on: Page) {
  await on.getByRole('main').getByRole('link', { name: 'Create an app' }).first().click()
  await on.getByLabel('Name').fill('Chess club')
  await on.getByRole('button', { name: 'Create the app' }).click()
  await on.getByText('No action yet').waitFor()
}

async function createAction(on: Page, identifier: string, name: string) {
  await on.getByRole('main').getByRole('button', { name: 'Create an action' }).first().click()
  await on.getByRole('dialog').getByLabel('Identifier').fill(identifier)
  await on.getByRole('dialog').getByLabel('Name').fill(name)
  await on.getByRole('button', { name: 'Create the action' }).click()
  await on.getByText('No verifications yet').waitFor()
}

type Purpose = { app: string; action: string }

/** Verifies simulated people, and waits until the list shows them. */
async function verifyPeople(on: Page, count: number, purpose: Purpose) {
  for (let person = 1; person <= count; person++) await verifyAs(`person-${person}`, purpose, facts)
  await on
    .locator('tbody tr')
    .nth(count - 1)
    .waitFor()
}

/** Verifies one simulated person, as docs/guide.md does. */
async function verifyAs(
  identity: string,
  { app: appId, action }: Purpose,
  { baseUrl, rpcUrl }: Facts,
) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    'packages/platform/command.ts',
    'simulate',
    ...['--app', appId, '--action', action, '--rpc', rpcUrl, '--identity', identity],
  ])
  const response = await fetch(`${baseUrl}/api/v2/verify/${appId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: stdout,
  })
  if (!response.ok) throw new Error(await response.text())
}

async function draw(on: Page, name: string) {
  await on.locator('.recharts-bar-rectangle path').first().waitFor()
  await on.mouse.move(0, 0)
  await on.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
}
