import type { Page } from 'playwright-core'

/** Invites addresses, separated by commas, on the members page. */
export async function invite(page: Page, emails: string) {
  await page.getByLabel('Invite people').fill(emails)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText(/invites? (was|were) sent/).waitFor()
  for (const email of emails.split(', '))
    await page.getByRole('cell', { name: email, exact: true }).waitFor()
}
