import type { Page } from 'playwright-core'
import { findAccessFaults } from '../pages/axe.ts'

/** Finds accessibility faults of a page in the light and in the dark scheme. */
export async function accessFaults(page: Page): Promise<string[]> {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches")
  const [scheme, otherScheme] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  const faults = await faultsNow(page)
  await page.emulateMedia({ colorScheme: otherScheme })
  // The other scheme changes only colours.
  const contrastFaults = await faultsNow(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: scheme })
  return [...faults, ...contrastFaults.map((fault) => `${otherScheme}: ${fault}`)]
}

async function faultsNow(page: Page, rules?: string[]): Promise<string[]> {
  // Waits for animations, since an element that fades in has less contrast.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
  const faults = await findAccessFaults(page, rules)
  return faults.map(({ id, help, html }) => `${id}: ${help}: ${html.join(' ')}`)
}
