import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { WINDOWS } from '../../support/portal/visits.ts'
import type { Person } from '../../support/webhooks/people.ts'

// Nothing that a user has entered, and no secret that is shown once, is lost without a question.

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
})

test('a page with unsaved changes asks before it closes, and asks no more once they are saved', async () => {
  const { page, complaints } = await openPage(PAGE_PATHS.app)
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  const apps = page.getByRole('link', { name: 'All apps' })
  // Without a change, no question.
  await apps.click()
  await page.getByRole('heading', { name: 'Apps', exact: true }).waitFor()
  await page.goBack()
  await page.getByLabel('Name').fill('Half typed')
  for (const leave of [() => apps.click(), () => page.goForward()]) {
    await leave()
    await question.getByText('You have entered something that is not saved.').waitFor()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
  }
  await expectBrowserQuestion(page, true)
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('App changed.').waitFor()
  await apps.click()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await page.getByLabel('Invite people').fill('half@')
  await page.getByRole('link', { name: 'API keys' }).first().click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await expectBrowserQuestion(page, false)
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('a dialog with unsaved changes asks before Escape or a click next to it closes it', async () => {
  const { page, complaints } = await openPage(PAGE_PATHS.actions)
  await page.getByRole('button', { name: 'Create an action' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create an action' })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await dialog.getByLabel('Name').fill('Half typed')
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 400),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await close()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Half typed')
  }
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'hidden' })
  // An empty form closes without a question.
  await page.getByRole('button', { name: 'Create an action' }).first().click()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('text in the settings of an action stays while the user looks at another tab', async () => {
  const { page } = await openPage(PAGE_PATHS.action)
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('Description').fill('Half typed')
  await page.getByRole('tab', { name: 'People' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await page.getByLabel('Description').inputValue()).toBe('Half typed')
  await scene.close(page)
})

test('a key that is shown once stays until the user says that it is copied, and the list tells keys apart', async () => {
  const { page, complaints } = await openPage(PAGE_PATHS.members)
  await page.getByRole('link', { name: 'API keys' }).first().click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('Shop')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = (await dialog.locator('code').textContent()) ?? ''
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Have you copied the secret?' })
  await question.getByRole('button', { name: 'Back to the secret' }).click()
  await question.waitFor({ state: 'hidden' })
  await expectBrowserQuestion(page, true)
  expect(await dialog.locator('code').textContent()).toBe(key)
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await expectBrowserQuestion(page, false)
  const beginnings = await page.locator('tbody code').allTextContents()
  expect(beginnings.filter((beginning) => key.startsWith(beginning.replace('…', '')))).toHaveLength(
    1,
  )
  expect(new Set(beginnings).size).toBe(2)

  const row = page.getByRole('row').filter({ hasText: 'Shop' })
  await row.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await dialog.getByText('Copy the key now').waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('a client secret that is shown once stays until the user says that it is copied', async () => {
  const { page } = await openPage(PAGE_PATHS.signIn)
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'The new client secret' })
  await dialog.getByText('Copy the client secret now').waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await scene.close(page)
})

test.for(WINDOWS)(
  'Enter confirms a deletion once its text is typed, and not before ($width px)',
  async (window) => {
    await scene.platform.db.query(
      "insert into action (app_id, action) values ($1, 'gone') on conflict do nothing",
      [ids.appId],
    )
    const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.actions, ids), window)
    await page.getByRole('link', { name: 'gone' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const field = page.getByRole('dialog').getByLabel(/^To confirm/)
    await field.fill('gon')
    await field.press('Enter')
    await field.fill('gone')
    await field.press('Enter')
    await page.getByText('Action deleted.').waitFor()
    await scene.close(page)
  },
)

function openPage(path: string) {
  return scene.openAs(owner.email, generatePath(path, ids))
}

/** Expects that the browser asks, or does not ask, before it closes the tab. */
async function expectBrowserQuestion(page: Page, isAsking: boolean) {
  const isPrevented = await page.evaluate<boolean>(
    "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented })()",
  )
  expect(isPrevented).toBe(isAsking)
}
