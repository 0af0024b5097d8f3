import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { setClockWrong } from '../support/portal/wrong-clock.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test.each(WINDOWS)(
  'a new user signs up, creates an app and an action, and sees people verify ($width px, $colorScheme)',
  async (window) => {
    const email = `ada-${window.width}@example.com`
    const { page, complaints } = await scene.open('/', window)
    await signUp(page, email)
    await page.getByRole('heading', { name: 'Verify your e-mail address' }).waitFor()
    await followMailedLink(email)
    await page.getByRole('button', { name: 'I have opened the link' }).click()
    const app = await createApp(page)
    await createAction(page)
    await page.getByText('No verifications yet').waitFor()
    const first = await scene.verifyPerson(app, 'join')
    await page.getByText(first).waitFor()
    const second = await scene.verifyPerson(app, 'join')
    await page.getByText(second).waitFor()
    // The newest person comes first.
    expect(await page.locator('tbody code').allTextContents()).toEqual([second, first])
    await page.getByText('2 people verified for the first time in the last 30 days').waitFor()
    await searchFor(page, first)
    expect(await fitsWidth(page)).toBe(true)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test('people appear as they verify even if the clock of the browser is wrong', async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  const { page } = await scene.openBlankAs(owner.email)
  await setClockWrong(page, 3_600_000)
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.action, ids))
  await expect.poll(() => page.locator('tbody code').count()).toBe(1)
  const nullifier = await scene.verifyPerson(ids.appId, 'join')
  await page.getByText(nullifier).waitFor()
  await page.context().close()
})

async function signUp(page: Page, email: string) {
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Team name').fill('Analytical Engines')
  await page.getByRole('button', { name: 'Sign up' }).click()
}

/** Opens the mailed link in another browser, such as a phone's, so that the portal's browser does not learn of it. */
async function followMailedLink(email: string) {
  const link = await scene.linkTo(email, 'verify-email')
  const elsewhere = await scene.browser.newPage()
  await elsewhere.goto(link)
  await elsewhere.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await elsewhere.getByRole('button', { name: 'Verify my address' }).click()
  await elsewhere.getByRole('heading', { name: 'Your address is verified' }).waitFor()
  await elsewhere.close()
}

async function createApp(page: Page): Promise<string> {
  await page.getByRole('main').getByRole('link', { name: 'Create an app' }).first().click()
  await page.getByLabel('Name').fill('Club')
  await page.getByRole('button', { name: 'Create the app' }).click()
  await page.getByText('No action yet').waitFor()
  return /app_staging_[0-9a-f]+/.exec(page.url())?.[0] ?? `no app in ${page.url()}`
}

async function createAction(page: Page) {
  await page.getByRole('main').getByRole('button', { name: 'Create an action' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Identifier').fill('join')
  await dialog.getByLabel('Name').fill('Join the club')
  await dialog.getByRole('button', { name: 'Create the action' }).click()
  await page.getByRole('heading', { name: 'Join the club' }).waitFor()
}

/** Searches for a person by different spellings of the nullifier. */
async function searchFor(page: Page, nullifier: string) {
  const search = page.getByLabel('Search')
  for (const spelling of [BigInt(nullifier).toString(), nullifier.slice(2).toUpperCase()]) {
    await search.fill(spelling)
    await expect.poll(() => page.locator('tbody code').allTextContents()).toEqual([nullifier])
  }
  await search.fill('nonsense')
  await page.getByText('This is not a nullifier').waitFor()
  await search.fill(`0x${'1'.repeat(64)}`)
  await page.getByText('No person with this nullifier').waitFor()
}
