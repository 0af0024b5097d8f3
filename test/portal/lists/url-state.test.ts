import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import {
  anyText,
  oneOf,
  readUrlState,
  withUrlState,
} from '../../../portal/components/url-state/url-parameters.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test('readUrlState falls back to the default for an absent or unknown value, and withUrlState omits defaults', () => {
  const parameters = { search: anyText, status: oneOf(['all', 'active']) }
  expect(readUrlState(new URLSearchParams(''), parameters)).toEqual({ search: '', status: 'all' })
  const hostile = new URLSearchParams(`status=${'x'.repeat(9)}&search=${'y'.repeat(10_000)}`)
  expect(readUrlState(hostile, parameters)).toEqual({ search: 'y'.repeat(200), status: 'all' })
  const address = new URLSearchParams('tab=code&status=active')
  const write = (changes: Record<string, string>) =>
    withUrlState(address, parameters, changes).toString()
  expect(write({ status: 'all', search: 'a&b' })).toBe('tab=code&search=a%26b')
  expect(write({})).toBe('tab=code&status=active')
})

test('tabs, searches and filters are in the address: a reload, a link and the back button show the same', async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  await owner.graphql(
    'mutation ($app: String!) { insert_action(objects: [{ app_id: $app, action: "vote", status: "inactive" }]) { affected_rows } }',
    { app: ids.appId },
  )
  const actions = generatePath(PAGE_PATHS.actions, ids)
  const { page, complaints } = await scene.openAs(owner.email, actions)
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByRole('radiogroup', { name: 'Status' }).getByText('Inactive').click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByLabel('Search').pressSequentially('vo te', { delay: 60 })
  await page.getByText('No action found').waitFor()
  await page.getByLabel('Search').fill('vote')
  await expect.poll(() => rows.count()).toBe(1)
  expect(addressOf(page)).toBe(`${actions}?status=inactive&search=vote`)
  await page.reload()
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('vote')
  await expect.poll(() => rows.count()).toBe(1)

  // The page of an action: its tab, and the search of a person. The click follows the typing at once.
  await page.getByLabel('Search').fill('vot')
  await page.getByRole('link', { name: 'vote' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
  const action = new URL(page.url())
  expect(action.search).toBe('?tab=settings')
  await page.reload()
  await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
  await page.goBack()
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('vot')

  await page.goto(`${scene.platform.baseUrl}${action.pathname}?search=0x1&tab=unknown&range=%00`)
  await page.getByText('No nullifier begins with this').waitFor()
  await page.getByText('in the last 30 days').waitFor()
  await page.getByLabel('Search').fill('')
  await page.getByText('No verifications yet').waitFor()
  expect(complaints).toEqual([])
  await scene.close(page)
})

function addressOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}
