import type { Page } from 'playwright-core'
import { PASSWORD } from '../webhooks/mailboxes.ts'

/** Fills in and submits the log-in form. */
export async function enterLogin(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}
