import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** A real Chromium without a window, from npm alone. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // In one process, as its own arguments have it, the second page never loads.
    args: chromium.args.filter((arg) => !['--single-process', '--no-zygote'].includes(arg)),
    headless: true,
  })
}
