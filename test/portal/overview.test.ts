import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { barsOf, seriesOf } from '../../portal/pages/statistics/chart-data.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { setClockWrong } from '../support/portal/wrong-clock.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test('barsOf returns every span of the period, with 0 for actions without people', () => {
  const app = { app_id: 'app_1', app_name: 'Club' }
  const stats = {
    from: '2026-02-22T00:00:00Z',
    persons: 9,
    verifications: 9,
    latest: null,
    actions: [
      { id: 'action_1', action: '', name: 'Sign in', persons: 5, ...app },
      { id: 'action_2', action: 'vote', name: '', persons: 3, ...app },
    ],
    counts: [
      { since: '2026-02-22T00:00:00+00:00', action_id: 'action_1', persons: 5 },
      { since: '2026-02-28T00:00:00+00:00', action_id: 'action_2', persons: 3 },
      { since: '2026-02-28T00:00:00+00:00', action_id: null, persons: 1 },
    ],
  }
  const bars = barsOf(stats, 'week')
  expect(bars).toHaveLength(7)
  expect(bars[0]).toEqual({ span: 'Feb 22', action_1: 5, action_2: 0, others: 0 })
  expect(bars[6]).toEqual({ span: 'Feb 28', action_1: 0, action_2: 3, others: 1 })
  expect(seriesOf(stats).map(({ label, persons }) => [label, persons])).toEqual([
    ['Sign in', 5],
    ['vote', 3],
    ['All others', 1],
  ])
})

test.each(WINDOWS)(
  'the overview shows the people of the busiest actions, sign-ins and all others, in any period ($width px)',
  async (window) => {
    const owner = await scene.createUser()
    const ids = await fillTeam(scene, owner)
    await addActions(ids.appId)
    const path = generatePath(PAGE_PATHS.team, ids)
    const { page, complaints } = await scene.openAs(owner.email, path, window)
    const figures = page.getByRole('region', { name: 'New people' })
    const words = (range: string) => `people verified for the first time in the last ${range}`
    // 1 person of "join", 20 sign-ins, and n people of action n, of whom half came 40 days ago.
    await figures.getByText(`46 ${words('30 days')}`).waitFor()
    await figures.getByText('Days and times on this page are in UTC').waitFor()
    await figures.getByText('Sign in', { exact: true }).waitFor()
    await figures.getByText('All others', { exact: true }).waitFor()
    await figures.getByRole('img', { name: 'Bar chart' }).waitFor()
    for (const [choice, range, people] of [
      ['24 hours', '24 hours', 46],
      ['7 days', '7 days', 46],
      ['90 days', '90 days', 76],
      ['1 year', '365 days', 76],
    ] as const) {
      await figures.getByText(choice, { exact: true }).click()
      await figures.getByText(`${people} ${words(range)}`).waitFor()
      // The number above the chart equals the values of the bars.
      if ((await figures.locator('details[open]').count()) === 0)
        await figures.getByText('Table of values').click()
      await expect
        .poll(async () => sum(await figures.locator('tbody td').allTextContents()))
        .toBe(people)
    }
    // The period is in the address, so that a reload shows the same.
    expect(new URL(page.url()).search).toBe('?range=year')
    await page.reload()
    await figures.getByText(`76 ${words('365 days')}`).waitFor()
    // A person verifies while the page is open.
    await scene.verifyPerson(ids.appId, 'join')
    await figures.getByText(`77 ${words('365 days')}`).waitFor()
    expect(await fitsWidth(page)).toBe(true)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test("an action's page counts the same people in its rows, its chart and its figures, in UTC", async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  const { page } = await scene.openAs(
    owner.email,
    `${generatePath(PAGE_PATHS.action, ids)}?range=day`,
  )
  const figures = page.getByRole('region', { name: 'New people' })
  await figures.getByText('1 person verified for the first time in the last 24 hours').waitFor()
  await figures.getByText('1 verification by these people').waitFor()
  await figures.getByText('Table of values').click()
  const span = await figures.getByRole('rowheader').textContent()
  const row = page.getByRole('region', { name: 'People', exact: true }).locator('time')
  const time = new Date((await row.getAttribute('datetime')) ?? '')
  const hour = String(time.getUTCHours()).padStart(2, '0')
  expect(span).toContain(`${time.getUTCDate()}, ${hour}:00`)
  expect(await row.textContent()).toContain(`, ${hour}:`)
  await scene.close(page)
})

// Concurrent, since each test waits for the page's refresh interval.
test.concurrent.each([
  { hours: 1, where: 'ahead' },
  { hours: -1, where: 'behind' },
])(
  'the overview counts new people even if the clock of the browser is an hour $where',
  async ({ hours }) => {
    const owner = await scene.createUser()
    const ids = await fillTeam(scene, owner)
    const { page } = await scene.openBlankAs(owner.email)
    await setClockWrong(page, hours * 3_600_000)
    await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.team, ids))
    const expectCount = (people: string) =>
      page.getByText(`${people} verified for the first time in the last 30 days`).waitFor()
    await expectCount('1 person')
    for (const people of ['2 people', '3 people']) {
      await scene.verifyPerson(ids.appId, 'join')
      await expectCount(people)
    }
    await page.context().close()
  },
)

/** Adds 10 actions to an app. Action n has n people; the odd ones of them came 40 days ago. Adds 20 people who signed in. */
async function addActions(appId: string) {
  await scene.platform.db.query(
    `with new_action as (
      insert into action (app_id, action) select $1, 'action-' || n from generate_series(1, 10) as n
      returning id, substring(action from 8)::integer as people
    ),
    sign_in as (select id, 40 as people from action where app_id = $1 and action = '')
    insert into nullifier (action_id, nullifier_hash, created_at)
    select id, '0x' || lpad(to_hex(n), 64, '0'), now() - case when n % 2 = 1 then interval '40 days' else interval '1 minute' end
    from (table new_action union all table sign_in) as counted
    cross join lateral generate_series(1, people) as n
    where people < 40 or n % 2 = 0`,
    [appId],
  )
}

function sum(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Number(text.replaceAll(',', '')), 0)
}
