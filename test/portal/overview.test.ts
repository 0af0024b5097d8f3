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

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test('stackDays returns every day of the period, with 0 for actions without people', () => {
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
  'the overview shows the people of each action per day, with a legend ($width px)',
  async (window) => {
    const owner = await scene.createUser()
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
    // One person has verified today.
    await expect.poll(() => chart.locator('.recharts-bar-rectangle path').count()).toBe(1)
    // A second person verifies while the page is open.
    await scene.verifyPerson(ids.appId, 'vote')
    await expect.poll(() => chart.locator('.recharts-bar-rectangle path').count()).toBe(2)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

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
