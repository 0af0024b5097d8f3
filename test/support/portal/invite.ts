import type { Page } from 'playwright-core'

/** Invites one address, or several with commas between them, on a team's page of members. */
export async function invite(page: Page, emails: string) {
  await page.getByLabel('Invite people').fill(emails)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('Invites sent.').waitFor()
  for (const email of emails.split(', ')) await page.getByRole('cell', { name: email }).waitFor()
}
