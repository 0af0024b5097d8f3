import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { renderStartPage } from '../../packages/platform/commands/start/start-page.ts'
import { startBrowser } from '../support/chromium.ts'
import { findAccessFaults } from '../support/pages/axe.ts'
import { FACTS } from '../support/pages/facts.ts'
import { startPages } from '../support/pages/start-pages.ts'
import { type Person, peopleOf } from '../support/webhooks/people.ts'

// The pages outside the portal are accessible: in the light scheme on a wide screen, and in the dark scheme on a phone.

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
  ['expired link', (page) => page.goto(at('/api/v1/accept-invite?token=') + 'x'.repeat(43))],
  ['incomplete link', (page) => page.goto(at('/api/v1/verify-email?token=x'))],
  ['page not found', (page) => page.goto(at('/nowhere'))],
  ['start page', (page) => page.goto(at('/local'))],
  ['caught mail', openCaughtMail],
  ['simulator', (page) => page.goto(pages.wallet.url)],
  ['request in the simulator', openSimulator],
  ['demo website', (page) => page.goto(pages.shop.url)],
  ['failed sign-in', (page) => page.goto(`${pages.shop.url}/callback`)],
  ['sign-in', openSignIn],
  ['page not found on the sign-in server', (page) => page.goto(`${pages.authUrl}/nowhere`)],
  ['rejected authorization request', (page) => page.goto(`${pages.authUrl}/authorize`)],
]

test.each(PAGES)('the page "%s" is accessible and fits a phone', async (name, open) => {
  const context = await browser.newContext({ colorScheme: 'light', viewport: WIDE })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await open(page)
  const lightFaults = await findAccessFaults(page)
  await shoot(page, `${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(NARROW)
  // Only colours and sizes change.
  const visualRules = ['color-contrast', 'scrollable-region-focusable', 'target-size']
  const darkFaults = await findAccessFaults(page, visualRules)
  await shoot(page, `${name}-dark`)
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await context.close()
  expect(lightFaults).toEqual([])
  expect(darkFaults).toEqual([])
  expect(isTooWide).toBe(false)
  // Chromium also reports the status of an error page.
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
})

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }

function at(path: string): string {
  return pages.platform.baseUrl + path
}

/** Opens the newest link of this kind that was mailed to the address. */
async function openMailed(page: Page, kind: string, address: string) {
  const link = async () => {
    const messages = (await caughtMail()).split('<article>')
    const message = messages.find((text) => text.includes(`to ${address},`) && text.includes(kind))
    return /http[^"]*token=[\w-]{43}/.exec(message ?? '')?.[0]
  }
  // A message is sent after the response to the request that caused it.
  await page.goto(await vi.waitFor(async () => requireValue(await link(), 'the link'), 30_000))
}

async function caughtMail(): Promise<string> {
  return (await fetch(pages.mail.pageUrl)).text()
}

/** Opens the page of caught mail without its frames. Scripts cannot run in the frames, so axe would wait for each frame. */
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

/** Saves a screenshot if SHOT is set: `SHOT=/tmp/page npx vitest run test/pages`. */
async function shoot(page: Page, name: string) {
  if (process.env.SHOT)
    await page.screenshot({
      path: `${process.env.SHOT}-${name.replaceAll(' ', '-')}.png`,
      fullPage: true,
    })
}
