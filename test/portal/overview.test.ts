import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { stackDays } from '../../portal/pages/overview/stack-days.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { setClockWrong } from '../support/portal/wrong-clock.ts'

let scene: PortalScene

test.beforeAll(({ scene: shared }) => {
  scene = shared
})

test('each day has the people of every action, also where nobody came', () => {
  const actions = [
    { id: 'action_1', days: [{ day: '2026-02-28', persons: 2 }] },
    { id: 'action_2', days: [{ day: '2026-03-01', persons: 3 }] },
  ]
  expect(stackDays(actions, new Date('2026-02-28T00:00:00Z'), 3)).toEqual([
    { day: '2026-02-28', action_1: 2, action_2: 0 },
    { day: '2026-03-01', action_1: 0, action_2: 3 },
    { day: '2026-03-02', action_1: 0, action_2: 0 },
  ])
})

test.each(WINDOWS)(
  'the overview shows the people of each action by day, told apart by a legend, $width pixels wide',
  async (window) => {
    const owner = await scene.makePerson()
    const ids = await fillTeam(scene, owner)
    await owner.graphql(
      'mutation ($app: String!) { insert_action_one(object: { app_id: $app, action: "vote" }) { id } }',
      { app: ids.appId },
    )
    const { page, complaints } = await scene.openAs(
      owner.email,
      generatePath(PAGE_PATHS.team, ids),
      window,
    )
    const chart = page.getByRole('region', { name: 'People by day' })
    await chart.getByText('Join', { exact: true }).waitFor()
    await chart.getByText('vote', { exact: true }).waitFor()
    // One person came, today.
    await expect.poll(() => chart.locator('.recharts-bar-rectangle path').count()).toBe(1)
    // And another one, while somebody looks.
    await scene.verifySomebody(ids.appId, 'vote')
    await expect.poll(() => chart.locator('.recharts-bar-rectangle path').count()).toBe(2)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

// At the same time, since each waits until the page may count again.
test.concurrent.each([
  { hours: 1, where: 'ahead' },
  { hours: -1, where: 'behind' },
])(
  'its numbers follow also where the clock of the browser is an hour $where',
  async ({ hours }) => {
    const owner = await scene.makePerson()
    const ids = await fillTeam(scene, owner)
    const { page } = await scene.openBlankAs(owner.email)
    await setClockWrong(page, hours * 3_600_000)
    await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.team, ids))
    const counted = (people: string) =>
      page.getByText(`${people} verified for the first time in the last 30 days`).waitFor()
    await counted('1 person')
    for (const people of ['2 people', '3 people']) {
      await scene.verifySomebody(ids.appId, 'join')
      await counted(people)
    }
    await page.context().close()
  },
)
