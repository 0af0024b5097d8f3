import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAGE_PATHS } from '../../portal/app/page-paths.ts'
import { type PortalScene, startPortal } from '../support/portal/portal-scene.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'
import { peopleOf } from '../support/webhooks/people.ts'

const OTHER_PASSWORD = 'indifference'

let scene: PortalScene
let makePerson: ReturnType<typeof peopleOf>

beforeAll(async () => {
  scene = await startPortal()
  makePerson = peopleOf(scene.platform)
})
afterAll(() => scene.stop())

test('a person sees where they are logged in, and ends a login elsewhere', async () => {
  const { email } = await makePerson()
  const here = await openAccount(email)
  const elsewhere = await openAccount(email)
  await here.reload()
  const rows = here.locator('tbody tr')
  // Here, elsewhere, and where the account was made.
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.filter({ hasText: 'This browser' }).count()).toBe(1)
  // The latest is the one elsewhere.
  await rows.first().getByRole('button', { name: 'Log out' }).click()
  await here.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await elsewhere.getByLabel('Name').fill('Somebody')
  await elsewhere.getByRole('button', { name: 'Save' }).click()
  await elsewhere.getByRole('dialog', { name: 'You have been logged out' }).waitFor()
  await close(here, elsewhere)
})

test('a person changes name and password; the new one is asked for, the old one refused', async () => {
  const { email } = await makePerson()
  const page = await openAccount(email)
  await page.getByLabel('Name').fill('Grace Hopper')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your name is changed.').waitFor()
  await page.getByLabel('Current password').fill('not this one')
  await page.getByLabel('New password').fill(OTHER_PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByRole('alert').waitFor()
  // What was typed is still there.
  expect(await page.getByLabel('New password').inputValue()).toBe(OTHER_PASSWORD)
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Your password is changed').waitFor()
  expect(await scene.login(email, PASSWORD)).toMatchObject({ status: 400 })
  expect(await scene.login(email, OTHER_PASSWORD)).toMatchObject({ status: 200 })
  await close(page)
})

test('an account is deleted only by who types its address', async () => {
  const { email } = await makePerson()
  const page = await openAccount(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Delete my account' })
  await dialog.getByLabel(/^To confirm/).fill('somebody@example.com')
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel(/^To confirm/).fill(email)
  await confirm.click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(await scene.login(email, PASSWORD)).toMatchObject({ status: 400 })
  await close(page)
})

async function openAccount(email: string): Promise<Page> {
  const { page } = await scene.openAs(email, PAGE_PATHS.account)
  await page.getByText('This browser').waitFor()
  return page
}

async function close(...pages: Page[]) {
  for (const page of pages) await page.context().close()
}
