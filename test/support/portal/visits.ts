import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../webhooks/mailboxes.ts'

/** How a person looks at the portal: on a wide screen or a phone, by day or by night. */
export const WINDOWS = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const

export type Window = { width: number; height: number; colorScheme: 'light' | 'dark' }

/** A page in a window of its own, which keeps its own cookies. */
export type Visit = { page: Page; complaints: string[] }

/** Ways to visit the portal, each on a wide screen unless told otherwise. */
export function visitsOf(browser: Browser, baseUrl: string) {
  const windows = windowsOf(browser)
  const openBlankAs = async (email: string, window: Window = WINDOWS[0]): Promise<Visit> => {
    const visit = await windows.open(window)
    await logIn(visit.page, baseUrl, email)
    return visit
  }
  return {
    /** Opens a window, and the portal in it. */
    async open(path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await windows.open(window)
      await visit.page.goto(`${baseUrl}${path}`)
      return visit
    },
    /** Opens a window in which a person is logged in, and the portal in it. */
    async openAs(email: string, path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await openBlankAs(email, window)
      await visit.page.goto(`${baseUrl}${path}`)
      return visit
    },
    /** The same, with nothing in it yet. */
    openBlankAs,
    /** Closes the windows that these pages are in. */
    close: windows.close,
  }
}

/**
 * Opens and closes windows of a browser. One that is closed is emptied and opened for the next visitor: the first page in a new
 * one takes more than twice the CPU. Who has put more into one than a page can forget, such as a script of its own, closes
 * its context instead.
 */
function windowsOf(browser: Browser) {
  const closed: Page[] = []
  return {
    async open(window: Window): Promise<Visit> {
      const page = closed.pop() ?? (await (await browser.newContext()).newPage())
      await showIn(page, window)
      return { page, complaints: complaintsOf(page) }
    },
    async close(...pages: Page[]): Promise<void> {
      await Promise.all(pages.map(empty))
      closed.push(...pages)
    },
  }
}

/** Has a page that is open already be seen in another window. */
export async function showIn(page: Page, { width, height, colorScheme }: Window): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
}

/** Logs somebody in as the portal does, before its page is there. */
async function logIn(page: Page, baseUrl: string, email: string) {
  const response = await fetch(`${baseUrl}/api/v1/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  const [, value = ''] = /session=([^;]+)/.exec(response.headers.getSetCookie().join('\n')) ?? []
  const { hostname: domain } = new URL(baseUrl)
  const cookie = { name: 'portal_session', value, domain, path: '/', httpOnly: true } as const
  await page.context().addCookies([{ ...cookie, sameSite: 'Strict' }])
}

function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // That nobody is logged in yet is an answer, which the browser calls an error.
    if (message.type() === 'error' && !message.text().includes('401'))
      complaints.push(message.text())
  })
  return complaints
}

/** Those that tests listen to: Playwright has listeners of its own for others, which must stay. */
const EVENTS = ['pageerror', 'console', 'response']

/** Playwright's own. */
const DEFAULT_TIMEOUT_MS = 30_000

/** Leaves nothing of a visit to the portal. */
async function empty(page: Page) {
  const context = page.context()
  for (const event of EVENTS) page.removeAllListeners(event)
  context.setDefaultTimeout(DEFAULT_TIMEOUT_MS)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.goto('about:blank')
  await Promise.all([
    ...context.pages().flatMap((other) => (other === page ? [] : [other.close()])),
    context.clearCookies(),
    context.clearPermissions(),
  ])
}
