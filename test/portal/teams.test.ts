import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { followLink } from '../support/portal/follow-link.ts'
import { invite } from '../support/portal/invite.ts'
import { complaintsExcept400, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import type { Person } from '../support/webhooks/people.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

describe.each(WINDOWS)('a user manages teams ($width px, $colorScheme)', (window) => {
  test('an owner creates, renames and switches teams, and cannot leave a team without another owner', async () => {
    const [owner, colleague] = [await scene.createUser(), await scene.createUser()]
    const { page, complaints } = await scene.openAs(owner.email, '/', window)
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Create a team' }).click()
    await page.getByLabel('Name').fill('Difference Engines')
    await page.getByRole('button', { name: 'Create the team' }).click()
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor()
    await followLink(page, 'Settings')
    await page.getByLabel('Team name').fill('Analytical Engines')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Analytical Engines' }).click()
    await page.getByRole('menuitem', { name: 'Team', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Analytical Engines' }).click()

    await followLink(page, 'Members')
    await leave(page)
    await page.getByText('A team needs an owner').first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await invite(page, colleague.email)
    await acceptElsewhere(colleague)
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: colleague.email })
    await row.getByRole('combobox').click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await page.getByText('Role changed.').waitFor()
    await leave(page)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Create a team' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Analytical Engines' }).count()).toBe(0)
    expect(complaintsExcept400({ page, complaints })).toEqual([])
    await scene.close(page)
  })

  async function acceptElsewhere({ email }: Person) {
    const { page } = await scene.open('/', window)
    await page.goto(await scene.linkTo(email, 'accept-invite'))
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('heading', { name: 'You have joined the team' }).waitFor()
    await scene.close(page)
  }
})

async function leave(page: Page) {
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
}
