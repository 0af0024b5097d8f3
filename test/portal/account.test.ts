import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect, onTestFinished } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { enterLogin } from '../support/portal/enter-login.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'

const OTHER_PASSWORD = 'indifference'
const DAY_MS = 86_400_000

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

describe.each(WINDOWS)('a user manages the account ($width px, $colorScheme)', (window) => {
  test('a user sees all logins, ends the login of another browser, and then ends all logins', async () => {
    const { email } = await scene.createUser()
    const page = await openAccount(email)
    const otherPage = await openAccount(email)
    await page.reload()
    const rows = page.locator('tbody tr')
    // The logins of both windows and of the sign-up.
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.filter({ hasText: 'This browser' }).count()).toBe(1)
    // The newest login is the other window's.
    await rows.first().getByRole('button', { name: 'Log out' }).click()
    await confirm(page, 'Log out')
    await expect.poll(() => rows.count()).toBe(2)
    await otherPage.getByLabel('Name').fill('Grace Hopper')
    await otherPage.getByRole('button', { name: 'Save' }).click()
    await otherPage.getByRole('dialog', { name: 'You have been logged out' }).waitFor()
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await confirm(page, 'Log out everywhere')
    await enterLogin(page, email)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.goto(scene.platform.baseUrl + PAGE_PATHS.account)
    await expect.poll(() => rows.count()).toBe(1)
    await scene.close(page, otherPage)
  })

  test('a user changes name and password, and the old password is rejected', async () => {
    const { email } = await scene.createUser()
    const page = await openAccount(email)
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name changed.').waitFor()
    await page.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor()
    await page.getByLabel('Current password').fill('not this one')
    await page.getByLabel('New password').fill(OTHER_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is wrong.').waitFor()
    // The typed values stay.
    expect(await page.getByLabel('New password').inputValue()).toBe(OTHER_PASSWORD)
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    expect(await scene.login(email, PASSWORD)).toMatchObject({ status: 400 })
    expect(await scene.login(email, OTHER_PASSWORD)).toMatchObject({ status: 200 })
    await scene.close(page)
  })

  test('a user changes the e-mail address by opening the links in both mailboxes', async () => {
    const { email } = await scene.createUser()
    const newEmail = `new-${email}`
    const page = await openAccount(email)
    await page.getByLabel('New e-mail address').fill(newEmail)
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change address' }).click()
    await page.getByText('Open the links in both mailboxes').waitFor()
    await page.goto(await scene.linkTo(newEmail, 'change-email'))
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await page.getByRole('heading', { name: 'Confirmed' }).waitFor()
    const link = await scene.linkTo(email, 'change-email')
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await page.getByRole('heading', { name: 'Your address has changed' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByText(`Your address is ${newEmail}.`).waitFor()
    await scene.close(page)
  })

  test('a user resets a forgotten password by mail, which ends all logins', async () => {
    const { email } = await scene.createUser()
    const otherPage = await openAccount(email)
    const { page } = await scene.open(PAGE_PATHS.logIn, window)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    const link = await askForLink(page, email)
    await page.goto(link)
    await choosePassword(page)
    await page.getByRole('heading', { name: 'Your password has changed' }).waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await enterLogin(page, email, PASSWORD)
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await enterLogin(page, email, OTHER_PASSWORD)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await otherPage.getByRole('button', { name: 'Save' }).click()
    await otherPage.getByRole('dialog', { name: 'You have been logged out' }).waitFor()
    await page.goto(link)
    await expectInvalidLink(page)
    await scene.close(page, otherPage)
  })

  test('the page of an expired reset link offers a new link', async () => {
    const { email } = await scene.createUser()
    const { page } = await scene.open(PAGE_PATHS.forgotPassword, window)
    const link = await askForLink(page, email)
    await page.goto(link)
    onTestFinished(() => moveClock(0))
    moveClock(DAY_MS)
    await choosePassword(page)
    await expectInvalidLink(page)
    moveClock(0)
    await page.goto(await askForLink(page, email))
    await choosePassword(page)
    await page.getByRole('heading', { name: 'Your password has changed' }).waitFor()
    await scene.close(page)
  })

  test('deleting an account needs its password, and the next user of the browser sees none of its data', async () => {
    const { email } = await scene.createUser()
    const page = await openAccount(email)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Delete my account' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Your password').fill('not this one')
    await confirm(page, 'Delete my account')
    await page.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await confirm(page, 'Delete my account')
    await enterLogin(page, email)
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    const next = await scene.createUser()
    await enterLogin(page, next.email)
    const path = generatePath(PAGE_PATHS.team, { teamId: next.team })
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await scene.close(page)
  })

  async function openAccount(email: string): Promise<Page> {
    const { page } = await scene.openAs(email, PAGE_PATHS.account, window)
    await page.getByText('This browser').waitFor()
    return page
  }
})

function moveClock(aheadMs: number) {
  scene.platform.clock.aheadMs = aheadMs
}

/** Presses a button of the open dialog. */
async function confirm(page: Page, label: string) {
  await page.getByRole('dialog').getByRole('button', { name: label }).click()
}

/** Asks for a reset link, and returns the link from the mail. */
async function askForLink(page: Page, email: string): Promise<string> {
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
  return scene.linkTo(email, 'reset-password')
}

async function choosePassword(page: Page) {
  await page.getByLabel('New password').fill(OTHER_PASSWORD)
  await page.getByRole('button', { name: 'Reset my password' }).click()
}

/** Expects the page of an invalid link, and follows "Ask for another link". */
async function expectInvalidLink(page: Page) {
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByRole('link', { name: 'Ask for another link' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
}
