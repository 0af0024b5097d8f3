import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { present } from '../../lib/runtime/present.ts'
import { renderStartPage } from '../../packages/platform/commands/start/start-page.ts'
import { startBrowser } from '../support/chromium.ts'
import { findAccessFaults } from '../support/pages/axe.ts'
import { FACTS } from '../support/pages/facts.ts'
import { startPages } from '../support/pages/start-pages.ts'
import { type Person, peopleOf } from '../support/webhooks/people.ts'

// Everybody can use every page that is not the portal's, in the light and in the dark, on a phone and on a wide screen.

let pages: Awaited<ReturnType<typeof startPages>>
let browser: Browser
let owner: Person

beforeAll(async () => {
  pages = await startPages()
  browser = await startBrowser()
  writeFileSync(pages.startPageFile, renderStartPage(FACTS))
  owner = await peopleOf(pages.platform)()
  const unverified = {
    email: 'ada@example.com',
    password: 'difference',
    name: 'Ada',
    team_name: 'Engine',
  }
  await pages.platform.post('/api/v1/signup', unverified)
  const invite =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { emails } }'
  await owner.graphql(invite, { team: owner.team, emails: [`new-${owner.email}`] })
  await pages.platform.post('/api/v1/forgot-password', { email: owner.email })
  await vi.waitUntil(async () => (await caughtMail()).split('<article>').length > 3, 20_000)
})
afterAll(async () => {
  await browser.close()
  await pages.stop()
})

const PAGES: [name: string, open: (page: Page) => Promise<unknown>][] = [
  ['verify an address', (page) => openMailed(page, 'verify-email', 'ada@example.com')],
  ['choose another password', (page) => openMailed(page, 'reset-password', owner.email)],
  [
    'accept an invite without an account',
    (page) => openMailed(page, 'accept-invite', `new-${owner.email}`),
  ],
  ['a link that is over', (page) => page.goto(at('/api/v1/accept-invite?token=') + 'x'.repeat(43))],
  ['a link that is not whole', (page) => page.goto(at('/api/v1/verify-email?token=x'))],
  ['no such page', (page) => page.goto(at('/nowhere'))],
  ['the start page', (page) => page.goto(at('/local'))],
  ['caught mail', openCaughtMail],
  ['the simulator', (page) => page.goto(pages.wallet.url)],
  ['what the simulator asks', openSimulator],
  ['the demo website', (page) => page.goto(pages.shop.url)],
  ['a sign-in that failed', (page) => page.goto(`${pages.shop.url}/callback`)],
  ['sign-in', openSignIn],
  ['no such page of the sign-in server', (page) => page.goto(`${pages.authUrl}/nowhere`)],
  ['a request that is refused', (page) => page.goto(`${pages.authUrl}/authorize`)],
]

test.each(PAGES)('%s', async (name, open) => {
  const context = await browser.newContext({ colorScheme: 'light', viewport: WIDE })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await open(page)
  const inTheLight = await findAccessFaults(page)
  await shoot(page, `${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(NARROW)
  // Colours and sizes are all that changes.
  const byLook = ['color-contrast', 'scrollable-region-focusable', 'target-size']
  const inTheDark = await findAccessFaults(page, byLook)
  await shoot(page, `${name}-dark`)
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await context.close()
  expect(inTheLight).toEqual([])
  expect(inTheDark).toEqual([])
  expect(isTooWide).toBe(false)
  // The status of a page of an error, which Chromium reports, too.
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
})

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }

function at(path: string): string {
  return pages.platform.baseUrl + path
}

/** The page behind the newest link of a kind that was sent to an address. */
async function openMailed(page: Page, kind: string, address: string) {
  const link = async () => {
    const messages = (await caughtMail()).split('<article>')
    const message = messages.find((text) => text.includes(`to ${address},`) && text.includes(kind))
    return /http[^"]*token=[\w-]{43}/.exec(message ?? '')?.[0]
  }
  // A message is sent after the answer to whoever asked for it.
  await page.goto(await vi.waitFor(async () => present(await link(), 'the link'), 30_000))
}

async function caughtMail(): Promise<string> {
  return (await fetch(pages.mail.pageUrl)).text()
}

/** Without the frames, where no script runs, not even that of the test; it would wait for each. */
async function openCaughtMail(page: Page) {
  await page.goto(pages.mail.pageUrl)
  expect(await page.locator('iframe:not([title])').count()).toBe(0)
  await page.evaluate('for (const frame of document.querySelectorAll("iframe")) frame.remove()')
}

async function openSignIn(page: Page) {
  await page.goto(`${pages.shop.url}/sign-in`)
  await page.locator('#open[href]').waitFor()
}

async function openSimulator(page: Page) {
  await openSignIn(page)
  await page.goto((await page.locator('#simulate').getAttribute('href')) ?? '')
}

/** For people who look at it: `SHOT=/tmp/page npx vitest run test/pages`. */
async function shoot(page: Page, name: string) {
  if (process.env.SHOT)
    await page.screenshot({
      path: `${process.env.SHOT}-${name.replaceAll(' ', '-')}.png`,
      fullPage: true,
    })
}
