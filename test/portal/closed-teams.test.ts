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

test.each(WINDOWS)(
  'an owner deletes a team by typing its name and sees the next team ($width px, $colorScheme)',
  async (window) => {
    const owner = await scene.createUser()
    const ids = await fillTeam(scene, owner)
    const rename = 'update team set name = $2 where id = $1'
    await scene.platform.db.query(rename, [ids.teamId, 'Analytical  Engines'])
    await owner.graphql('mutation { create_team(name: "Difference") { team_id } }')
    const path = generatePath(PAGE_PATHS.teamSettings, ids)
    const { page, complaints } = await scene.openAs(owner.email, path, window)

    await page.getByRole('button', { name: 'Delete this team' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this team?' })
    await dialog.getByText('People can no longer verify or sign in with its apps.').waitFor()
    await dialog.getByText('Its API keys stop working.').waitFor()
    await dialog.getByText('The team cannot be restored').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete this team' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To confirm, type').fill('Analytical')
    expect(await confirm.isDisabled()).toBe(true)
    // The page shows the name with one space.
    await dialog.getByLabel('To confirm, type').fill('Analytical Engines')
    expect(await accessFaults(page)).toEqual([])
    expect(await fitsWidth(page)).toBe(true)
    await confirm.click()

    await page.getByRole('alert').getByText('deleted.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Difference' }).waitFor()
    await page.getByRole('button', { name: 'Difference' }).click()
    await page.getByRole('menuitem', { name: 'Difference' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Engines' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test('the members of a deleted team get a mail, and their open page links to their teams', async () => {
  const [owner, member] = [await scene.createUser(), await scene.createUser()]
  const ids = await fillTeam(scene, owner)
  await scene.platform.db.query('insert into membership (team_id, user_id) values ($1, $2)', [
    ids.teamId,
    member.id,
  ])
  const { page } = await scene.openAs(member.email, generatePath(PAGE_PATHS.actions, ids))
  await page.getByRole('link', { name: 'Join' }).waitFor()
  for (const { graphql, team } of [owner, member])
    await graphql('mutation ($id: String!) { delete_team(team_id: $id) { success } }', { id: team })

  const mail = (await scene.mails()).find(
    ({ to, source }) =>
      to.includes(member.email) && source.includes('Subject: A team that you were in was deleted'),
  )
  expect(mail?.source).toContain(`${owner.email} deleted a team that you were in`)
  await page.reload()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Go to your teams' }).click()
  await page.getByRole('heading', { name: 'You are not in a team' }).waitFor()
  await page.getByRole('link', { name: 'Create a team' }).waitFor()
  await scene.close(page)
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
