import type { Page } from 'playwright-core'
import { findAccessFaults } from '../pages/axe.ts'

const SCHEMES = ['light', 'dark'] as const

/** What keeps people with disabilities from using a page as it is now, in the light and in the dark, as far as a program finds it. */
export async function accessFaults(page: Page): Promise<string[]> {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches")
  const own = SCHEMES[isDark ? 1 : 0]
  const other = SCHEMES[isDark ? 0 : 1]
  const faults = await faultsNow(page)
  await page.emulateMedia({ colorScheme: other })
  // Colours are all that changes.
  const inOther = await faultsNow(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: own })
  return [...faults, ...inOther.map((fault) => `${other}: ${fault}`)]
}

async function faultsNow(page: Page, rules?: string[]): Promise<string[]> {
  // What is still fading in has less contrast than it will have.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
  const faults = await findAccessFaults(page, rules)
  return faults.map(({ id, help, html }) => `${id}: ${help}: ${html.join(' ')}`)
}
