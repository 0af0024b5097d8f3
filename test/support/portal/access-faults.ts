import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const SCHEMES = ['light', 'dark'] as const

/** What keeps people with disabilities from using a page as it is now, in the light and in the dark, as far as a program finds it. */
export async function accessFaults(page: Page): Promise<string[]> {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches")
  const own = SCHEMES[isDark ? 1 : 0]
  const other = SCHEMES[isDark ? 0 : 1]
  const faults = await faultsNow(page, axe(page))
  await page.emulateMedia({ colorScheme: other })
  // Colours are all that changes.
  const inOther = await faultsNow(page, axe(page).withRules('color-contrast'))
  await page.emulateMedia({ colorScheme: own })
  return [...faults, ...inOther.map((fault) => `${other}: ${fault}`)]
}

/** Without a page of its own for each report, which pages without frames do not need. */
function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode()
}

async function faultsNow(page: Page, builder: AxeBuilder): Promise<string[]> {
  // What is still fading in has less contrast than it will have.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
  const { violations } = await builder.analyze()
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
