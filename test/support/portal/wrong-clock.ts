import type { Page } from 'playwright-core'

/** Moves the clock of a tab by `aheadMs`, on every page that the tab opens from now on. The clock keeps running. */
export async function setClockWrong(page: Page, aheadMs: number): Promise<void> {
  await page.addInitScript(`{
    const now = Date.now
    Date.now = () => now() + ${aheadMs}
    Date = class extends Date { constructor(...args) { args.length ? super(...args) : super(Date.now()) } }
  }`)
}
