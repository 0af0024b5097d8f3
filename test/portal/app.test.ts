import type { Locator, Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { chooseLimit } from '../support/portal/choose-limit.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { complaintsExcept400, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

describe.each(WINDOWS)(
  'an owner manages an app and its team ($width px, $colorScheme)',
  (window) => {
    test('an owner changes an app, copies its id, archives it, and restores it from the team settings', async () => {
      const { page, ids, complaints } = await openFilled(PAGE_PATHS.app)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy app id' }).click()
      await page.getByRole('button', { name: 'Copied app id' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ids.appId)
      await page.getByLabel('Name').fill('Chess club')
      await page.getByLabel('Logo').fill('http://example.com/logo.png')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Must begin with https://').waitFor()
      await page.getByLabel('Logo').fill('https://example.com/logo.png')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('App changed.').waitFor()
      await page.reload()
      await page.getByText('Chess club').first().waitFor()
      expect(await page.getByLabel('Logo').inputValue()).toBe('https://example.com/logo.png')

      await pressAndConfirm(page, 'Archive')
      await page.getByText('Archived', { exact: true }).waitFor()
      expect(await scene.mayVerify(ids.appId, 'join')).toBe(false)
      await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.teamSettings, ids))
      await page.getByRole('link', { name: 'See the archived apps' }).click()
      await page.getByRole('main').getByRole('link', { name: 'Chess club' }).click()
      await pressAndConfirm(page, 'Restore')
      await page.getByRole('button', { name: 'Archive' }).waitFor()
      expect(await scene.mayVerify(ids.appId, 'join')).toBe(true)
      expect(complaints).toEqual([])
      await scene.close(page)
    })

    test('an owner creates an action without a limit, changes it, switches it off and deletes it', async () => {
      const { page, ids, complaints } = await openFilled(PAGE_PATHS.actions)
      await page.getByRole('button', { name: 'Create an action' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Identifier').fill('join')
      await chooseLimit(page, 'Unlimited')
      await dialog.getByRole('button', { name: 'Create the action' }).click()
      await dialog.getByText('already has an action with this identifier').waitFor()
      await dialog.getByLabel('Identifier').fill('post')
      await dialog.getByRole('button', { name: 'Create the action' }).click()
      await page.getByText('post · each person any number of times').waitFor()

      await page.getByRole('tab', { name: 'Code' }).click()
      const command = await page.getByLabel('proof of a simulated person').textContent()
      expect(command).toMatch(/^npm run --silent simulate -- .* > proof\.json$/)

      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByLabel('Name').fill('Post an article')
      await page.getByLabel('Description').fill('Each author is a person.')
      await chooseLimit(page, 'Another number of times')
      await page.getByLabel('Number of times').fill('3')
      await page.getByLabel('Return address').fill('javascript:alert(1)')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Must begin with https://').waitFor()
      await page.getByLabel('Return address').fill('https://example.com/done')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('post · each person up to 3 times').waitFor()
      expect(await scene.mayVerify(ids.appId, 'post')).toBe(true)

      await page.getByLabel('Active').uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This action is inactive').waitFor()
      expect(await scene.mayVerify(ids.appId, 'post')).toBe(false)
      await page.reload()
      await page.getByRole('tab', { name: 'Settings' }).click()
      expect(await page.getByLabel('Description').inputValue()).toBe('Each author is a person.')
      expect(await page.getByLabel('Return address').inputValue()).toBe('https://example.com/done')

      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByLabel(/^To confirm/).fill('post')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Action deleted.').waitFor()
      await page.getByRole('link', { name: 'Join' }).waitFor()
      expect(await page.getByRole('link', { name: 'Post an article' }).count()).toBe(0)
      expect(complaintsExcept400({ page, complaints })).toEqual([])
      await scene.close(page)
    })

    test('an owner creates, renames, resets, revokes and reactivates a key, and the API follows each change', async () => {
      const { page, ids, complaints } = await openFilled(PAGE_PATHS.keys)
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByLabel('Name').fill('Shop')
      await page.getByRole('button', { name: 'Create the key' }).click()
      const first = await readSecret(page)
      await page.getByRole('button', { name: 'I have copied it' }).click()
      const row = page.getByRole('row').filter({ hasText: 'Shop' })
      await row.getByText('Never').waitFor()
      expect(await readApp(first)).toEqual([ids.appId])
      await expect.poll(() => reloadRow(page, row)).not.toContain('Never')

      await row.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Shop in Paris')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await row.getByText('Shop in Paris').waitFor()
      await pressAndConfirm(page, 'Reset', row)
      const second = await readSecret(page)
      expect(await readApp(first)).toBeNull()
      expect(await readApp(second)).toEqual([ids.appId])
      await page.getByRole('button', { name: 'I have copied it' }).click()

      await pressAndConfirm(page, 'Revoke', row)
      await row.getByText('Revoked').waitFor()
      expect(await readApp(second)).toBeNull()
      await pressAndConfirm(page, 'Reactivate', row)
      await row.getByText('Active').waitFor()
      expect(await readApp(second)).toEqual([ids.appId])
      expect(complaints).toEqual([])
      await scene.close(page)
    })

    async function openFilled(path: string) {
      const owner = await scene.createUser()
      const ids = await fillTeam(scene, owner)
      return { ids, ...(await scene.openAs(owner.email, generatePath(path, ids), window)) }
    }
  },
)

/** Presses a button of the page or of a row, and then the button of the same name in the dialog. */
async function pressAndConfirm(page: Page, label: string, within: Page | Locator = page) {
  await within.getByRole('button', { name: label }).click()
  await page.getByRole('dialog').getByRole('button', { name: label }).click()
}

/** Reads the key that the page shows only once. */
async function readSecret(page: Page): Promise<string> {
  const alert = page.getByRole('status').filter({ hasText: 'Copy the key now' })
  return (await alert.locator('code').textContent()) ?? ''
}

/** Returns the ids of the apps that a key may read; null if the key is rejected. */
async function readApp(key: string): Promise<string[] | null> {
  const headers = { authorization: `Bearer ${key}` }
  const { body } = await scene.platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)
  const apps: { id: string }[] | undefined = Object(body).data?.app
  return apps?.map(({ id }) => id) ?? null
}

/** Reloads the page, and returns the text of a row. */
async function reloadRow(page: Page, row: Locator): Promise<string> {
  await page.reload()
  return (await row.textContent()) ?? ''
}
