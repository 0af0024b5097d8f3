import type { Page } from 'playwright-core'

/** Has the clock of a browser be wrong by so much, on every page that it opens from now on; it runs as before. */
export async function setClockWrong(page: Page, aheadMs: number): Promise<void> {
  await page.addInitScript(`{
    const now = Date.now
    Date.now = () => now() + ${aheadMs}
    Date = class extends Date { constructor(...args) { args.length ? super(...args) : super(Date.now()) } }
  }`)
}
