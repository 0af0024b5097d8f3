import type { Browser, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { startBrowser } from '../support/chromium.ts'
import { findAccessFaults } from '../support/pages/axe.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

// The API documentation at /docs is accessible and looks like the platform's other pages.

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
 * The rules that Swagger UI's own markup violates, in axe's categories serious and critical. Neither options nor CSS can fix
 * these: the field for the body and the choices of server, media type and example have no label, and the button of an
 * operation contains a link. Remove a rule from this list once Swagger UI follows it.
 */
const VIEWER_FAULTS = ['label', 'nested-interactive', 'select-name']

test.each([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const)(
  'the API documentation is accessible and fits $width px ($colorScheme scheme)',
  async ({ width, colorScheme }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await openOperation(page)
    const faults = await findAccessFaults(page)
    const serious = faults.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id }) => id).toSorted()).toEqual(VIEWER_FAULTS)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    expect(complaints).toEqual([])
    await page.close()
  },
)

test('the API documentation has the name, logo and colours of the platform in both colour schemes', async () => {
  const page = await browser.newPage({ colorScheme: 'light' })
  await openOperation(page)
  expect(await page.title()).toBe('Developer API')
  await page.getByRole('banner').getByText('Personhood').waitFor()
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/)
  const colours = () => page.evaluate<string[]>(COLOURS)
  expect(await colours()).toEqual([INK.light, INK.light, ACCENT.light])
  // The colours also change while the page is open.
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colours).toEqual([INK.dark, INK.dark, ACCENT.dark])
  await page.close()
})

/** Colours in lib/design/tokens.css. */
const INK = { light: 'rgb(22, 24, 29)', dark: 'rgb(236, 238, 242)' }
const ACCENT = { light: 'rgb(81, 81, 205)', dark: 'rgb(91, 91, 214)' }

/** The colours of the text, of an operation's path, and of the button that sends its request. */
const COLOURS = `[
  getComputedStyle(document.body).color,
  getComputedStyle(document.querySelector('.opblock-post .opblock-summary-path span')).color,
  getComputedStyle(document.querySelector('.btn.execute')).backgroundColor,
]`

/** Opens the page and "Try it out" of the first operation. */
async function openOperation(page: Page): Promise<void> {
  await page.goto(`${platform.baseUrl}/docs`)
  const operation = page.locator('.opblock-post').first()
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).waitFor()
  // Waits for animations, since an element that fades in has less contrast.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
}
