import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../webhooks/mailboxes.ts'

/** The windows that tests use: a wide screen in the light scheme, and a phone in the dark scheme. */
export const WINDOWS = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const

export type Window = { width: number; height: number; colorScheme: 'light' | 'dark' }

/** A page in a separate window with separate cookies, and the errors in its console. */
export type Visit = { page: Page; complaints: string[] }

/** Returns functions that open pages of the portal, by default on a wide screen. */
export function createVisits(browser: Browser, baseUrl: string) {
  const windows = createWindows(browser)
  const openBlankAs = async (email: string, window: Window = WINDOWS[0]): Promise<Visit> => {
    const visit = await windows.open(window)
    await logIn(visit.page, baseUrl, email)
    return visit
  }
  return {
    /** Opens a page of the portal in a new window. */
    async open(path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await windows.open(window)
      await visit.page.goto(`${baseUrl}${path}`)
      return visit
    },
    /** Opens a page of the portal in a new window in which a user is logged in. */
    async openAs(email: string, path = '/', window: Window = WINDOWS[0]): Promise<Visit> {
      const visit = await openBlankAs(email, window)
      await visit.page.goto(`${baseUrl}${path}`)
      return visit
    },
    /** Opens an empty window in which a user is logged in. */
    openBlankAs,
    /** Closes the windows of these pages. */
    close: windows.close,
  }
}

/**
 * Opens and closes windows of a browser. Clears and reuses closed windows, since the first page of a new window takes more than
 * twice the CPU time of a page in a used window. A script that a test adds to a window would stay there, so such a test closes
 * the window's context instead.
 */
function createWindows(browser: Browser) {
  const reusablePages: Page[] = []
  return {
    async open(window: Window): Promise<Visit> {
      const page = reusablePages.pop() ?? (await (await browser.newContext()).newPage())
      await resizeTo(page, window)
      return { page, complaints: complaintsOf(page) }
    },
    async close(...pages: Page[]): Promise<void> {
      await Promise.all(pages.map(clearPage))
      reusablePages.push(...pages)
    },
  }
}

/** Changes the window size and the colour scheme of an open page. */
export async function resizeTo(page: Page, { width, height, colorScheme }: Window): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
}

/** Logs a user in by HTTP, without a page of the portal. */
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
    // The browser reports the 401 before a log-in as an error.
    if (message.type() === 'error' && !message.text().includes('401'))
      complaints.push(message.text())
  })
  return complaints
}

/** The events that tests listen to. Playwright's listeners for other events must stay. */
const EVENTS = ['pageerror', 'console', 'response']

/** Playwright's default. */
const DEFAULT_TIMEOUT_MS = 30_000

/** Removes what a visit left in a window: listeners, routes, storage, cookies, permissions and other tabs. */
async function clearPage(page: Page) {
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
