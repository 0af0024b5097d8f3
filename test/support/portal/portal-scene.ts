import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { publishRoot } from '../../../chain/publish-root.ts'
import { builtPortal } from '../../../portal/build/built-portal.ts'
import { startBrowser } from '../chromium.ts'
import { forgeRequest } from '../webhooks/forge-request.ts'
import { PASSWORD, startWithMailboxes } from '../webhooks/mailboxes.ts'
import { peopleOf } from '../webhooks/people.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'

/** The newest root of the staging group. */
export const ROOT = 4711n

/** How a person looks at the portal: on a wide screen or a phone, by day or by night. */
export const WINDOWS = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const

export type Window = { width: number; height: number; colorScheme: 'light' | 'dark' }

/** A page in a browser of its own, which keeps its own cookies. */
export type Visit = { page: Page; complaints: string[] }

export type PortalScene = Awaited<ReturnType<typeof startPortal>>

/** A platform that serves the portal, its mail, and a browser. */
export async function startPortal(environment: Record<string, string> = {}) {
  const mailboxes = await startWithMailboxes({
    PORTAL_FOLDER: await builtPortal('.cache'),
    // People sign up and verify here by the dozen.
    RATE_LIMIT_SIGNUP: '1000/60',
    ...environment,
  })
  const { platform } = mailboxes
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
  const browser = await startBrowser()
  const attempt = attemptsOn(platform)
  return {
    ...mailboxes,
    browser,
    /** Signs somebody up, who has a team of their own. */
    makePerson: peopleOf(platform),
    /** Opens a window, and the portal in it. */
    async open(path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await openWindow(browser, window)
      await visit.page.goto(`${platform.baseUrl}${path}`)
      return visit
    },
    /** Opens a window in which a person is logged in, and the portal in it. */
    async openAs(email: string, path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await openLoggedIn({ browser, baseUrl: platform.baseUrl, email, window })
      await visit.page.goto(`${platform.baseUrl}${path}`)
      return visit
    },
    /** The same, with nothing in it yet. */
    openBlankAs: (email: string, window: Window = WINDOWS[0]) =>
      openLoggedIn({ browser, baseUrl: platform.baseUrl, email, window }),
    /** Has somebody who was not seen before verify for an action. */
    async verifySomebody(app: string, action: string) {
      const { reply, nullifier } = await attempt(app, action)
      expect(reply).toMatchObject({ status: 200 })
      return nullifier
    },
    /** Whether somebody who was not seen before may. */
    async mayVerify(app: string, action: string): Promise<boolean> {
      return (await attempt(app, action)).reply.status === 200
    },
    async stop() {
      await browser.close()
      await mailboxes.stop()
    },
  }
}

/** Has somebody who was not seen before ask to be counted. */
function attemptsOn(platform: TestPlatform) {
  let people = 0n
  return async (app: string, action: string) => {
    people += 1n
    const body = await forgeRequest({ app, action, root: ROOT, nullifier: 5_000_000n + people })
    const reply = await platform.post(`/api/v2/verify/${app}`, body)
    return { reply, nullifier: body.nullifier_hash }
  }
}

async function openWindow(browser: Browser, { width, height, colorScheme }: Window) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    // What is still fading in has less contrast than it will have.
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // That nobody is logged in yet is an answer, which the browser calls an error.
    if (message.type() === 'error' && !message.text().includes('401'))
      complaints.push(message.text())
  })
  return { page, complaints }
}

type LoggedIn = { browser: Browser; baseUrl: string; email: string; window: Window }

async function openLoggedIn({ browser, baseUrl, email, window }: LoggedIn): Promise<Visit> {
  const [visit, cookie] = await Promise.all([openWindow(browser, window), logInFor(baseUrl, email)])
  const { hostname: domain } = new URL(baseUrl)
  await visit.page
    .context()
    .addCookies([{ ...cookie, domain, path: '/', httpOnly: true, sameSite: 'Strict' }])
  return visit
}

/** Logs in as the portal does; the answer is the cookie. */
async function logInFor(baseUrl: string, email: string) {
  const response = await fetch(`${baseUrl}/api/v1/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  const [, value = ''] = /session=([^;]+)/.exec(response.headers.getSetCookie().join('\n')) ?? []
  return { name: 'portal_session', value }
}

/** Has a page that is open already be seen in another window. */
export async function showIn(page: Page, { width, height, colorScheme }: Window): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
}

/** What a browser complains of, but that something was refused: that is an answer, which it calls an error. */
export function complaintsButRefusals({ complaints }: Visit): string[] {
  return complaints.filter((text) => !text.includes('status of 400'))
}

/** Whether everything fits into the window, so that nobody has to scroll sideways. */
export function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth')
}
