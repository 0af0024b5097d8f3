import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { accessFaults } from '../support/portal/access-faults.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'

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
