import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import { followLink } from '../../support/portal/follow-link.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { WINDOWS } from '../../support/portal/visits.ts'
import type { Person } from '../../support/webhooks/people.ts'

const LONG_NAME = 'Long '.repeat(26).slice(0, 128).trim()
const TEAM_PAGES = ['Overview', 'Apps', 'Members', 'API keys', 'Audit', 'GraphQL', 'Settings']
const APP_PAGES = [
  'Actions',
  'Try it',
  'Proof debugger',
  'Sign-in',
  'Payments',
  'Requests',
  'App settings',
]

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
  await scene.platform.db.query(
    `insert into app (team_id, name, is_staging, created_at)
    select $1, case when n = 7 then $2 else 'App ' || n end, false, now() - interval '1 minute' * n
    from generate_series(1, 60) as n`,
    [ids.teamId, LONG_NAME],
  )
  await scene.platform.db.query(
    "insert into app (team_id, name, is_archived) values ($1, 'Old shop', true)",
    [ids.teamId],
  )
})

const open = (path: string, window: (typeof WINDOWS)[number]) =>
  scene.openAs(owner.email, generatePath(path, ids), window)

test.each(WINDOWS)(
  'the pages of a team and of an app are separate, and forty apps do not push links away ($width px, $colorScheme)',
  async (window) => {
    const { page, complaints } = await open(PAGE_PATHS.team, window)
    await openMenu(page)
    expect(await linkNames(page, 'Team')).toEqual(TEAM_PAGES)
    await expectCurrent(page, 'Overview')
    expect(await accessFaults(page)).toEqual([])
    await closeMenu(page)
    await followLink(page, 'Apps')
    await page.getByLabel('Search', { exact: true }).fill('club')
    await page.getByRole('main').getByRole('link', { name: 'Club' }).click()
    await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor()
    await expect.poll(() => page.title()).toBe('Actions · Club · Team · Personhood')
    // The heading of the page has the focus, also after a click in the drawer.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Actions')
    await openMenu(page)
    expect(await linkNames(page, 'App')).toEqual(['All apps', ...APP_PAGES])
    await expectCurrent(page, 'Actions')
    expect(await accessFaults(page)).toEqual([])
    await closeMenu(page)
    await followLink(page, 'Payments')
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Payments')
    await followLink(page, 'All apps')
    await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor()
    await openMenu(page)
    await expectCurrent(page, 'Apps')
    expect(await fitsWidth(page)).toBe(true)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test.each(WINDOWS)(
  'the switch searches all apps, keeps the page, and cuts long names ($width px, $colorScheme)',
  async (window) => {
    const { page, complaints } = await open(PAGE_PATHS.payments, window)
    await openMenu(page)
    await page.getByRole('button', { name: 'Club: switch to another app' }).click()
    const search = page.getByLabel('Search apps')
    // The oldest app is not among the first fifty.
    await search.fill('App 60')
    await page.getByRole('option', { name: 'App 60' }).waitFor()
    await search.fill('no such app')
    await page.getByText('No app found').waitFor()
    await search.fill('long')
    const option = page.getByRole('option', { name: LONG_NAME })
    await option.waitFor()
    expect(await accessFaults(page)).toEqual([])
    expect(await fitsWidth(page)).toBe(true)
    // The keyboard chooses, too.
    await search.press('ArrowDown')
    await search.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    await expect.poll(() => page.title()).toBe(`Payments · ${LONG_NAME} · Team · Personhood`)
    expect(await page.getByTitle(LONG_NAME).filter({ visible: true }).first().isVisible()).toBe(
      true,
    )
    expect(await fitsWidth(page)).toBe(true)
    const head = await page.getByRole('main').getByTitle(LONG_NAME).boundingBox()
    expect(head?.height).toBeLessThan(40)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test('the page Apps lists apps in pages, searches by name, and keeps its filter in the address', async () => {
  const { page } = await open(PAGE_PATHS.apps, WINDOWS[0])
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(61)
  await page.getByLabel('Search', { exact: true }).fill('App 5')
  await expect.poll(() => rows.count()).toBe(11)
  await page.reload()
  await expect.poll(() => rows.count()).toBe(11)
  expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('App 5')
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Archived apps' }).click()
  await page.getByText('No app found').waitFor()
  await page.getByLabel('Search', { exact: true }).fill('')
  await page.getByRole('link', { name: 'Old shop' }).click()
  await page.getByRole('heading', { level: 1, name: 'App settings' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Old shop' }).waitFor()
  await scene.close(page)
})

test('Escape closes the menu of a phone, and the focus returns to its button', async () => {
  const { page } = await open(PAGE_PATHS.team, WINDOWS[1])
  await openMenu(page)
  await page.getByRole('dialog', { name: 'Menu' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toBe('Open the menu')
  await scene.close(page)
})

async function openMenu(page: Page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  const menu = page.getByRole('button', { name: 'Open the menu' })
  if (await menu.isVisible()) await menu.click()
}

async function closeMenu(page: Page) {
  const close = page.getByRole('button', { name: 'Close the menu' })
  if (await close.isVisible()) await close.click()
}

async function linkNames(page: Page, navigation: string) {
  const links = page.getByRole('navigation', { name: navigation }).getByRole('link')
  await links.last().waitFor()
  return links.allTextContents()
}

/** Expects that the navigation marks exactly one link as the current page. */
async function expectCurrent(page: Page, name: string) {
  const current = page.getByRole('navigation').locator('[aria-current=page]')
  await expect.poll(() => current.filter({ visible: true }).allTextContents()).toEqual([name])
}
