import type { Page } from 'playwright-core'

/** Chooses how often each person may verify, in the form of an action. */
export async function chooseLimit(page: Page, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: 'How often each person may verify' }).click()
  await page.getByRole('option', { name: choice }).click()
}
