import type { Browser, Page } from 'playwright-core'

/** How a person looks at the portal: on a wide screen or a phone, by day or by night. */
export const WINDOWS = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const

export type Window = { width: number; height: number; colorScheme: 'light' | 'dark' }

/** A page in a window of its own, which keeps its own cookies. */
export type Visit = { page: Page; complaints: string[] }

/** Playwright's own. */
const DEFAULT_TIMEOUT_MS = 30_000

/**
 * Opens and closes windows of a browser. One that is closed is emptied and opened for the next visitor: the first page in a new
 * one takes more than twice the CPU. Who has put more into one than a page can forget, such as a script of its own, closes
 * its context instead.
 */
export function windowsOf(browser: Browser) {
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

/** What tests listen to. Playwright itself listens to more, so that not every listener may go. */
const HEARD = ['pageerror', 'console', 'response']

/** Leaves nothing of a visit. */
async function empty(page: Page) {
  const context = page.context()
  for (const event of HEARD) page.removeAllListeners(event)
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
