import type { Page } from 'playwright-core'

/** Follows a link of the navigation. In a narrow window, opens the menu first. */
export async function followLink(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open the menu' })
  const link = page.getByRole('navigation').getByRole('link', { name, exact: true })
  await menu.or(link).filter({ visible: true }).first().waitFor()
  if (await menu.isVisible()) await menu.click()
  await link.filter({ visible: true }).click()
}
