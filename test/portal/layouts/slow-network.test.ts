import type { Response } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import { followLink } from '../../support/portal/follow-link.ts'
import { type Held, holdRequests } from '../../support/portal/hold-requests.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import type { Person } from '../../support/webhooks/people.ts'

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
})

const openPage = (path: string) => scene.openAs(owner.email, generatePath(path, ids))

test('a first visit draws placeholders before the scripts and styles arrive', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  const assets = await holdRequests(page, /\/assets\//)
  await page.goto(scene.platform.baseUrl, { waitUntil: 'commit' })
  await page.getByRole('img', { name: 'Loading' }).waitFor()
  await expect
    .poll(() => page.evaluate('performance.getEntriesByName("first-contentful-paint").length'))
    .toBe(1)
  await assets.release()
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  await expect.poll(() => page.getByRole('img', { name: 'Loading' }).isVisible()).toBe(false)
  await scene.close(page)
})

test('a page of an action sends all its reads but its figures before the first response arrives', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  const reads = await holdRequests(page, /^[A-Z]\w+$/)
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.action, ids))
  const expected = ['Account', 'Action', 'App', 'People', 'Team']
  await expect.poll(() => reads.names.toSorted()).toEqual(expected)
  await reads.release()
  await page.locator('tbody code').waitFor()
  await scene.close(page)
})

test.each([
  { path: PAGE_PATHS.apps, operation: 'Apps', row: 'Club' },
  { path: PAGE_PATHS.actions, operation: 'Actions', row: 'Join' },
  { path: PAGE_PATHS.action, operation: 'People', row: '0x' },
  { path: PAGE_PATHS.payments, operation: 'Payments', row: 'order-1' },
  { path: PAGE_PATHS.keys, operation: 'Keys', row: 'Server' },
  { path: PAGE_PATHS.members, operation: 'Members', row: '@' },
  { path: PAGE_PATHS.audit, operation: 'Audit', row: 'created' },
])('the page $path shows placeholders until its list arrives', async ({ path, operation, row }) => {
  const { page } = await scene.openBlankAs(owner.email)
  const read = await holdRequests(page, new RegExp(`^${operation}$`))
  await page.goto(scene.platform.baseUrl + generatePath(path, ids))
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  await read.release()
  await page.getByRole('row').filter({ hasText: row }).first().waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await scene.close(page)
})

test('a bar shows that the next page loads, and the current page stays', async () => {
  const { page } = await openPage(PAGE_PATHS.team)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const files = await holdRequests(page, /members-page/)
  await followLink(page, 'Members')
  await page.getByText('Loading the page').waitFor({ state: 'attached' })
  await expect.poll(() => page.evaluate(OPACITY)).toBe('1')
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  await files.release()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  expect(await page.locator('.pending-bar').count()).toBe(0)
  await scene.close(page)
})

test('a key that is created during a read of the list is in the list', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  const read = await holdRequests(page, /^Keys$/)
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.keys, ids))
  await expect.poll(() => read.names).toEqual(['Keys'])
  const create = async (name: string, heldRead: Held) => {
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill(name)
    const created = page.waitForResponse((response) => /CreateKey/.test(postData(response)))
    await page.getByRole('button', { name: 'Create the key' }).click()
    await created
    await heldRead.release()
    await page.getByRole('button', { name: 'I have copied it' }).click()
  }
  // The first read of the page is under way; its response has no new key.
  await create('First', read)
  await page.getByRole('row').filter({ hasText: 'First' }).waitFor()
  // A later read is under way.
  const laterRead = await holdRequests(page, /^Keys$/)
  await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
  await create('Second', laterRead)
  await page.getByRole('row').filter({ hasText: 'Second' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'First' }).waitFor()
  await scene.close(page)
})

test('a dialog closes although the list is read again slowly', async () => {
  const { page } = await openPage(PAGE_PATHS.keys)
  await page.getByRole('button', { name: 'Rename' }).first().click()
  const read = await holdRequests(page, /^Keys$/)
  await page.getByRole('dialog').getByLabel('Name').fill('Main server')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByText('Key renamed.').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await read.release()
  await page.getByRole('row').filter({ hasText: 'Main server' }).waitFor()
  await scene.close(page)
})

test('Cancel aborts a change on its way, and the page says that the change may have been made', async () => {
  const { page } = await openPage(PAGE_PATHS.keys)
  const row = page.getByRole('row').filter({ hasText: 'server' }).last()
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.postDataJSON()?.operationName))
  const change = await holdRequests(page, /^ChangeKey$/)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => change.names).toEqual(['ChangeKey'])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('may have been made').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(failed).toContain('ChangeKey')
  // The platform had made the change, and the list shows it.
  await row.getByText('Revoked').waitFor()
  await change.release()
  await scene.close(page)
})

test('a request without a response fails after the time limit, with words', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  await page.addInitScript(
    'window.divisor = 60; const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / divisor)',
  )
  const read = await holdRequests(page, /^Members$/)
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.members, ids))
  await page.getByText('The platform has not answered for 30 seconds').first().waitFor()
  await page.evaluate('window.divisor = 1')
  await read.release()
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('row').filter({ hasText: '@' }).first().waitFor()
  // The script would stay in the window.
  await page.context().close()
})

test('offline, a change fails at once with words, and is not made later', async () => {
  const { page } = await openPage(PAGE_PATHS.actions)
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.keys, ids))
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('Offline')
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Offline' })
  await row.getByRole('button', { name: 'Revoke' }).click()
  const changes: string[] = []
  page.on('request', (request) => changes.push(request.postDataJSON()?.operationName))
  await page.context().setOffline(true)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('You are offline: nothing was sent').waitFor()
  expect(await accessFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  changes.length = 0
  await page.context().setOffline(false)
  // Coming back online reads old data again, and sends nothing else.
  await expect.poll(() => changes).toContain('Team')
  expect(changes).not.toContain('ChangeKey')
  await row.getByText('Active').waitFor()
  await scene.close(page)
})

test('offline, a page that was not visited says so inside the layout, and loads when the network is back', async () => {
  const { page } = await openPage(PAGE_PATHS.team)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.context().setOffline(true)
  // The browser's cache may have the file from another test.
  await page.route('**/keys-page-*.js', (route) => route.abort('internetdisconnected'))
  await followLink(page, 'API keys')
  await page.getByText('You are offline. The page is loaded as soon as').waitFor()
  await page.getByRole('navigation', { name: 'Team' }).getByRole('link').first().waitFor()
  expect(await accessFaults(page)).toEqual([])
  await page.unroute('**/keys-page-*.js')
  await page.context().setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await scene.close(page)
})

test('a page whose file is gone after an update reloads once, and never again and again', async () => {
  const { page } = await openPage(PAGE_PATHS.team)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const visits: string[] = []
  page.on('framenavigated', (frame) => visits.push(new URL(frame.url()).pathname))
  const isGone = '**/members-page-*.js'
  await page.route(isGone, (route) => route.fulfill({ status: 404 }))
  await followLink(page, 'Members')
  await page.getByRole('heading', { level: 1, name: 'This page cannot be shown' }).waitFor()
  await page.getByText('could not be loaded').waitFor()
  await expect.poll(() => visits).toContain(generatePath(PAGE_PATHS.members, ids))
  const loads: number = await page.evaluate('performance.getEntriesByType("navigation").length')
  expect(loads).toBe(1)
  // The navigation works, also to other pages and back.
  await followLink(page, 'Audit')
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  const visitsBefore = visits.length
  await followLink(page, 'Members')
  await page.getByRole('heading', { level: 1, name: 'This page cannot be shown' }).waitFor()
  expect(visits.length - visitsBefore).toBeLessThanOrEqual(1)
  await page.unroute(isGone)
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await scene.close(page)
})

test('after an update of the portal, a click on a link shows the page, by one reload', async () => {
  const { page } = await openPage(PAGE_PATHS.team)
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The file is gone for the old page; the page after the reload finds it.
  let isGone = true
  await page.route('**/members-page-*.js', (route) => {
    const answer = isGone ? route.fulfill({ status: 404 }) : route.continue()
    isGone = false
    return answer
  })
  await page.evaluate('window.isOld = true')
  await followLink(page, 'Members')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  expect(await page.evaluate('window.isOld')).toBeUndefined()
  await scene.close(page)
})

test('a role that an owner changes elsewhere is seen on the next page and when the window gets the focus', async () => {
  const member = await scene.createUser()
  const { db } = scene.platform
  await db.query('insert into membership (team_id, user_id, role) values ($1, $2, $3)', [
    ids.teamId,
    member.id,
    'MEMBER',
  ])
  const setRole = (role: string) =>
    db.query('update membership set role = $1 where user_id = $2 and team_id = $3', [
      role,
      member.id,
      ids.teamId,
    ])
  const { page } = await scene.openAs(member.email, generatePath(PAGE_PATHS.team, ids))
  const keys = page.getByRole('navigation').getByRole('link', { name: 'API keys' })
  await page.getByRole('link', { name: 'Members' }).waitFor()
  expect(await keys.count()).toBe(0)
  await setRole('ADMIN')
  await expect
    .poll(async () => {
      await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
      return keys.count()
    })
    .toBe(1)
  await setRole('MEMBER')
  await expect
    .poll(async () => {
      await followLink(page, 'Members')
      await followLink(page, 'Overview')
      return keys.count()
    })
    .toBe(0)
  await scene.close(page)
})

function postData(response: Response): string {
  return response.request().postData() ?? ''
}

const OPACITY = 'getComputedStyle(document.querySelector(".pending-bar")).opacity'
