import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** What keeps people with disabilities from using a page as it is now, as far as a program finds it. */
export async function accessFaults(page: Page): Promise<string[]> {
  // What is still fading in has less contrast than it will have.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
