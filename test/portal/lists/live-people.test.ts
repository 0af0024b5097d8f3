import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { countNew, mergePeople } from '../../../portal/pages/action/merge-people.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'

const BURST_PEOPLE = 3_000
/** An hour with 60 people a minute, in parts of ten minutes. */
const HOUR_PARTS = 6
const PART_PEOPLE = 600
const MAX_ROWS = 200
const MAX_HEAP_BYTES = 60_000_000
const MAX_SCRIPT_SECONDS = 0.1

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test('mergePeople repeats and loses no person, and keeps full pages if there are earlier people', () => {
  const list = { pages: [peopleOf(50, 99), peopleOf(0, 49)], pageParams: [null, person(50)] }
  const merged = mergePeople(list, peopleOf(95, 119))
  expect(merged.pages).toEqual([peopleOf(70, 119), peopleOf(20, 69)])
  expect(merged.pageParams).toEqual([null, person(70)])
  expect(countNew(list, peopleOf(95, 119))).toBe(20)
  // A person whose transaction ended late comes below newer people.
  const late = { pages: [[person(3), person(1)]], pageParams: [null] }
  expect(mergePeople(late, peopleOf(1, 4)).pages).toEqual([peopleOf(1, 4)])
  // All people are listed, so the list grows, up to 200.
  expect(mergePeople(late, peopleOf(10, 209)).pages.flat()).toEqual(peopleOf(10, 209))
})

test('the live list of people stays small and exact in a burst of 3,000 people and over an hour with lost connections', async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  const { page, complaints } = await scene.openBlankAs(owner.email)
  await recordSockets(page)
  const cdp = await page.context().newCDPSession(page)
  // CPU time of the page's thread, because other tests run at the same time.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const metrics = async () => {
    const { metrics: list } = await cdp.send('Performance.getMetrics')
    return Object.fromEntries(list.map(({ name, value }) => [name, value]))
  }
  let batches = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('query People(')) batches += 1
  })
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.action, ids))
  const rows = page.locator('tbody code')
  await expect.poll(() => rows.count()).toBe(1)
  await expect.poll(() => openSockets(page)).toBe(1)

  const { ScriptDuration: scriptBefore = 0 } = await metrics()
  let people = 1
  const insert = async (count: number) => {
    await scene.platform.db.query(
      `insert into nullifier (action_id, nullifier_hash)
      select $1, '0x' || lpad(to_hex(n), 64, '0') from generate_series($2::integer, $3) as n`,
      [ids.actionId, people + 1, people + count],
    )
    people += count
  }
  for (let sent = 0; sent < BURST_PEOPLE; sent += 100) await insert(100)
  await expectNewest(page, ids.actionId)
  await page
    .getByText(`${people.toLocaleString('en')}`, { exact: true })
    .first()
    .waitFor()

  for (let part = 0; part < HOUR_PARTS; part += 1) {
    if (part % 2 === 1) await closeSockets(page)
    await insert(PART_PEOPLE)
    await expectNewest(page, ids.actionId)
  }
  const { ScriptDuration: scriptAfter = 0 } = await metrics()
  expect((scriptAfter - scriptBefore) / batches).toBeLessThan(MAX_SCRIPT_SECONDS)

  // Two people at the same time, the second of whom appears later and comes lower in the list.
  for (const [hash, time] of [
    ['f', "now() + interval '1 second'"],
    ['e', `(select max(created_at) from nullifier where action_id = '${ids.actionId}')`],
    ['d', "now() + interval '2 seconds'"],
  ]) {
    await scene.platform.db.query(
      `insert into nullifier (action_id, nullifier_hash, created_at) values ($1, '0x' || repeat('${hash}', 64), ${time})`,
      [ids.actionId],
    )
    people += 1
    if (hash !== 'e') await page.getByText(`0x${hash?.repeat(64)}`).waitFor()
  }
  await expectNewest(page, ids.actionId)
  // The figures are those of the database.
  await page.getByText(people.toLocaleString('en'), { exact: true }).first().waitFor()

  // Screen readers hear how many people are new, not 66 digits for each.
  expect(
    await page.getByRole('region', { name: 'People' }).getByRole('status').textContent(),
  ).toMatch(/^(More than )?[\d,]+ new people$/)
  await cdp.send('HeapProfiler.collectGarbage')
  const { JSHeapUsedSize = Number.POSITIVE_INFINITY } = await metrics()
  expect(JSHeapUsedSize).toBeLessThan(MAX_HEAP_BYTES)

  // The user pages to earlier people, and back.
  for (let shown = 0; shown < 5; shown += 1) {
    const last = await rows.last().textContent()
    await page.getByRole('button', { name: 'Show earlier people' }).click()
    await expect.poll(() => rows.last().textContent()).not.toBe(last)
    expect(await rows.count()).toBeLessThanOrEqual(MAX_ROWS)
  }
  await page.getByRole('button', { name: 'Back to the newest people' }).click()
  await expectNewest(page, ids.actionId)
  expect(complaints.filter((text) => !text.includes('WebSocket'))).toEqual([])
  await page.context().close()
})

test('the copy buttons of the live list copy the nullifier of their row and name it', async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.action, ids))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const nullifier = (await page.locator('tbody code').first().textContent()) ?? ''
  const short = `${nullifier.slice(0, 10)}…`
  await page.getByRole('button', { name: `Copy nullifier ${short}` }).click()
  await page.getByRole('button', { name: `Copied nullifier ${short}` }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(nullifier)
  await scene.close(page)
})

/** Waits until the list has exactly the newest people of the database, in their order. */
async function expectNewest(page: Page, actionId: string) {
  const { rows: newest } = await scene.platform.db.query<{ nullifier_hash: string }>(
    `select nullifier_hash from nullifier where action_id = $1
    order by created_at desc, nullifier_hash desc limit ${MAX_ROWS}`,
    [actionId],
  )
  const hashes = newest.map(({ nullifier_hash }) => nullifier_hash)
  await expect
    .poll(async () => {
      const shown = await page.locator('tbody code').allTextContents()
      if (shown.length > MAX_ROWS) return `${shown.length} rows`
      return shown.length > 0 && shown.every((hash, row) => hash === hashes[row])
    })
    .toBe(true)
}

/** Records the WebSockets that a tab opens from now on. */
async function recordSockets(page: Page) {
  await page.addInitScript(`{
    globalThis.sockets = []
    const Original = WebSocket
    WebSocket = class extends Original { constructor(...args) { super(...args); sockets.push(this) } }
  }`)
}

function openSockets(page: Page): Promise<number> {
  return page.evaluate('sockets.filter(({ readyState }) => readyState === 1).length')
}

async function closeSockets(page: Page) {
  await page.evaluate('sockets.forEach((socket) => socket.close(4000))')
}

function person(number: number) {
  const nullifier_hash = `0x${number.toString(16).padStart(64, '0')}`
  return { nullifier_hash, uses: 1, created_at: new Date(number * 1_000).toISOString() }
}

/** Returns people from one number to another, newest first. */
function peopleOf(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => person(to - index))
}
