import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** A real headless Chromium, installed by npm alone. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // With the package's own arguments (a single process) the second page never loads.
    args: chromium.args.filter((arg) => !['--single-process', '--no-zygote'].includes(arg)),
    headless: true,
  })
}
