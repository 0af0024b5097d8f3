import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { accessFaults } from '../support/portal/access-faults.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'

const BLOCKED = 'This team is blocked. Contact the operator.'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

/** Blocks or unblocks a team as the operator. */
async function runTask(task: string) {
  const { body } = await scene.platform.engine.graphql(
    `mutation { ${task} { id } }`,
    {},
    { 'x-hasura-role': 'reviewer' },
  )
  expect(Object(body).errors).toBe(undefined)
}

test.each(WINDOWS)(
  'the pages of a blocked team say so, and its owner can restore an app only after the block ($width px, $colorScheme)',
  async (window) => {
    const owner = await scene.createUser()
    const ids = await fillTeam(scene, owner)
    await runTask(`block_team(args: {team_id: "${ids.teamId}", reason: "Spam"})`)
    const path = generatePath(PAGE_PATHS.app, ids)
    const { page } = await scene.openAs(owner.email, path, window)
    await page.getByRole('alert').getByText(BLOCKED).waitFor()
    expect(await accessFaults(page)).toEqual([])
    expect(await fitsWidth(page)).toBe(true)
    const restore = async () => {
      await page.getByRole('button', { name: 'Restore' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    }
    await restore()
    // A second text: the error of the change.
    await expect.poll(() => page.getByText(BLOCKED).count()).toBe(2)

    await runTask(`unblock_team(args: {team_id: "${ids.teamId}"})`)
    await page.reload()
    await restore()
    await page.getByText('restored.').waitFor()
    expect(await page.getByText(BLOCKED).count()).toBe(0)
    await scene.close(page)
  },
)

test('the audit page of a blocked team names the operator and the reason', async () => {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  await runTask(`block_team(args: {team_id: "${ids.teamId}", reason: "Spam to strangers"})`)
  const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.audit, ids))
  const row = page.getByRole('row').filter({ hasText: 'Spam to strangers' })
  await row.getByText('The operator').waitFor()
  await scene.close(page)
})
