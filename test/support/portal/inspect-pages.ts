import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from './access-faults.ts'
import { fillTeam } from './fill-team.ts'
import { fitsWidth, type PortalScene } from './portal-scene.ts'
import { test } from './portal-test.ts'
import type { Visit, Window } from './visits.ts'

const MAX_LAYOUT_SHIFT = 0.05

let scene: PortalScene

const PUBLIC_PAGES = [PAGE_PATHS.logIn, PAGE_PATHS.signUp, PAGE_PATHS.forgotPassword]
/** Pages that other test files inspect. */
const INSPECTED_ELSEWHERE: readonly string[] = [
  PAGE_PATHS.tryIt,
  PAGE_PATHS.debugProof,
  PAGE_PATHS.graphql,
]
const MEMBER_PAGES = Object.values(PAGE_PATHS).filter(
  (path) =>
    !(INSPECTED_ELSEWHERE.includes(path) || PUBLIC_PAGES.some((publicPath) => publicPath === path)),
)

/** Defines a test for each page in a window of this size, and a test of dialogs and menus. */
export function inspectPages(window: Window): void {
  let ids: Awaited<ReturnType<typeof fillTeam>>
  let visitor: Visit
  let member: Visit
  test.beforeAll(async ({ scene: sharedScene }) => {
    scene = sharedScene
    const owner = await scene.createUser()
    ids = await fillTeam(scene, owner)
    visitor = await scene.open('/', window)
    member = await scene.openAs(owner.email, '/', window)
  })

  test.each(PUBLIC_PAGES)(
    'the page %s is accessible, fits the window and hardly shifts',
    async (path) => {
      await inspect(visitor, path)
    },
  )

  test.each(MEMBER_PAGES)(
    'the page %s is accessible, fits the window and hardly shifts',
    async (path) => {
      await inspect(member, generatePath(path, ids))
    },
  )

  test('dialogs and menus are accessible', async () => {
    const { page } = member
    await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.keys, ids))
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    // A dialog gets its name a moment after it opens.
    await page.getByRole('dialog', { name: 'Create a key' }).waitFor()
    await page.getByLabel('Name').fill('Production server')
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Copy the key now').waitFor()
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Revoke' }).first().click()
    await page.getByRole('dialog', { name: /^Revoke / }).waitFor()
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).waitFor()
    expect(await accessFaults(page)).toEqual([])
  })
}

/** Expects a page without accessibility faults, overflow and console errors, and with little layout shift. */
async function inspect({ page, complaints }: Visit, path: string) {
  await page.goto(scene.platform.baseUrl + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  expect(await accessFaults(page)).toEqual([])
  expect(await fitsWidth(page)).toBe(true)
  expect(await page.evaluate(LAYOUT_SHIFT)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT)
  expect(complaints.splice(0)).toEqual([])
}

/** A script that sums the layout shifts without user input. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  new PerformanceObserver((list) =>
    resolve(list.getEntries().reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)),
  ).observe({ type: 'layout-shift', buffered: true })
  // The observer is not called if nothing has shifted.
  setTimeout(() => resolve(0), 100)
})`
