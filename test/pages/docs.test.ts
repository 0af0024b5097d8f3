import type { Browser, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { startBrowser } from '../support/chromium.ts'
import { findAccessFaults } from '../support/pages/axe.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

// The description of the API at /docs looks like the platform's other pages, and everybody can use it.

let platform: TestPlatform
let browser: Browser

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
})

/**
 * What axe finds serious or worse in the markup that the viewer itself makes, which neither its options nor a sheet can mend:
 * the field of a request's body and the choices of server, media type and example have no label that programs read, and the
 * button that opens an operation has the link to it inside. When the viewer mends one, it goes from this list.
 */
const OF_THE_VIEWER = ['label', 'nested-interactive', 'select-name']

test.each([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const)('everybody can use it ($width px, $colorScheme)', async ({ width, colorScheme }) => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await openOperation(page)
  const faults = await findAccessFaults(page)
  const serious = faults.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id }) => id).toSorted()).toEqual(OF_THE_VIEWER)
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  expect(complaints).toEqual([])
  await page.close()
})

test('it has the name, the logo and the colours of the platform, by day and by night', async () => {
  const page = await browser.newPage({ colorScheme: 'light' })
  await openOperation(page)
  expect(await page.title()).toBe('Developer API')
  await page.getByRole('banner').getByText('Personhood').waitFor()
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/)
  const colours = () => page.evaluate<string[]>(COLOURS)
  expect(await colours()).toEqual([INK.light, INK.light, ACCENT.light])
  // Also when it gets dark while somebody reads.
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colours).toEqual([INK.dark, INK.dark, ACCENT.dark])
  await page.close()
})

/** Those of lib/design/tokens.css. */
const INK = { light: 'rgb(22, 24, 29)', dark: 'rgb(236, 238, 242)' }
const ACCENT = { light: 'rgb(81, 81, 205)', dark: 'rgb(91, 91, 214)' }

/** The colours of the text, of an operation's path, and of the button that sends its request. */
const COLOURS = `[
  getComputedStyle(document.body).color,
  getComputedStyle(document.querySelector('.opblock-post .opblock-summary-path span')).color,
  getComputedStyle(document.querySelector('.btn.execute')).backgroundColor,
]`

/** Opens the page, and an operation whose request is to be tried. */
async function openOperation(page: Page): Promise<void> {
  await page.goto(`${platform.baseUrl}/docs`)
  const operation = page.locator('.opblock-post').first()
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).waitFor()
  // What is still fading in has less contrast than it will have.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
}
