import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect, onTestFinished } from 'vitest'
import { PAGE_PATHS } from '../../portal/app/page-paths.ts'
import { enterLogin } from '../support/portal/enter-login.ts'
import { complaintsButRefusals, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'
import type { Person } from '../support/webhooks/people.ts'

const DAY_MS = 86_400_000

let scene: PortalScene

test.beforeAll(({ scene: shared }) => {
  scene = shared
})

describe.each(WINDOWS)('$width pixels wide, in $colorScheme', (window) => {
  test('who has an account joins with it, gets another role, and is removed', async () => {
    const [owner, guest] = [await scene.makePerson(), await scene.makePerson()]
    const members = await openMembers(owner)
    await invite(members, guest.email)
    const { page } = await scene.open('/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    await page.getByText(/You are invited by \W?Person\W? to the team/).waitFor()
    expect(await page.getByLabel('Account').inputValue()).toBe(guest.email)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('heading', { name: 'You are in the team' }).waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await enterLogin(page, guest.email)
    await expectTeam(page, owner)
    await page.getByText('No app yet').waitFor()
    expect(await page.getByRole('link', { name: 'Create an app' }).count()).toBe(0)

    await members.reload()
    const row = members.getByRole('row').filter({ hasText: guest.email })
    await row.getByRole('combobox', { name: 'Role of Person' }).click()
    await members.getByRole('option', { name: 'Admin' }).click()
    await members.getByText('The role is changed.').waitFor()
    await page.reload()
    await page.getByRole('main').getByRole('link', { name: 'Create an app' }).first().waitFor()

    await row.getByRole('button', { name: 'Remove' }).click()
    await members.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'hidden' })
    await page.reload()
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await scene.close(members, page)
  })

  test('who is logged in already comes to the team at once', async () => {
    const [owner, guest] = [await scene.makePerson(), await scene.makePerson()]
    await inviteFrom(owner, guest.email)
    const { page } = await scene.openAs(guest.email, '/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await expectTeam(page, owner)
    await scene.close(page)
  })

  test('who is logged in as somebody else is told, and comes to the team as the one invited', async () => {
    const [owner, guest, other] = [
      await scene.makePerson(),
      await scene.makePerson(),
      await scene.makePerson(),
    ]
    await inviteFrom(owner, guest.email)
    const { page } = await scene.openAs(other.email, '/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    expect(await page.getByLabel('Account').inputValue()).toBe(guest.email)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByText(`You are logged in as ${other.email}`).waitFor()
    await page.getByRole('button', { name: 'Log in as somebody else' }).click()
    await enterLogin(page, guest.email)
    await expectTeam(page, owner)
    await scene.close(page)
  })

  test('who has no account makes one on the page of the invite', async () => {
    const owner = await scene.makePerson()
    const email = `new-${owner.email}`
    await inviteFrom(owner, email)
    const { page } = await scene.open('/', window)
    await page.goto(await scene.linkTo(email, 'accept-invite'))
    await page.getByText(/You are invited by \W?Person\W? to the team/).waitFor()
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await enterLogin(page, email)
    await expectTeam(page, owner)
    await page.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor()
    await scene.close(page)
  })

  test('an invite that was taken back, or has expired, is said to be over', async () => {
    const owner = await scene.makePerson()
    const members = await openMembers(owner)
    await invite(members, `first-${owner.email}, second-${owner.email}`)
    // A message that is not sent yet is taken back with its invite.
    const link = await scene.linkTo(`first-${owner.email}`, 'accept-invite')
    const first = members.getByRole('row').filter({ hasText: `first-${owner.email}` })
    await first.getByRole('button', { name: 'Take back' }).click()
    await members.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await first.waitFor({ state: 'hidden' })
    const { page } = await scene.open('/', window)
    await page.goto(link)
    await expectOver(page)
    onTestFinished(() => {
      scene.platform.clock.aheadMs = 0
    })
    scene.platform.clock.aheadMs = 8 * DAY_MS
    await page.goto(await scene.linkTo(`second-${owner.email}`, 'accept-invite'))
    scene.platform.clock.aheadMs = 0
    await expectOver(page)
    await scene.close(members, page)
  })

  test('a team is created, renamed, switched to and left, but never by its last owner', async () => {
    const [owner, colleague] = [await scene.makePerson(), await scene.makePerson()]
    const { page, complaints } = await scene.openAs(owner.email, '/', window)
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Create a team' }).click()
    await page.getByLabel('Name').fill('Difference Engines')
    await page.getByRole('button', { name: 'Create the team' }).click()
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor()
    await follow(page, 'Settings')
    await page.getByLabel('Team name').fill('Analytical Engines')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Analytical Engines' }).click()
    await page.getByRole('menuitem', { name: 'Team', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Analytical Engines' }).click()

    await follow(page, 'Members')
    await leave(page)
    await page.getByText('A team needs an owner').first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await invite(page, colleague.email)
    await acceptElsewhere(colleague)
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: colleague.email })
    await row.getByRole('combobox').click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await page.getByText('The role is changed.').waitFor()
    await leave(page)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.getByRole('button', { name: 'Team', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Create a team' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Analytical Engines' }).count()).toBe(0)
    expect(complaintsButRefusals({ page, complaints })).toEqual([])
    await scene.close(page)
  })

  async function openMembers({ email, team: teamId }: Person): Promise<Page> {
    const path = generatePath(PAGE_PATHS.members, { teamId })
    return (await scene.openAs(email, path, window)).page
  }

  async function inviteFrom(owner: Person, email: string) {
    const page = await openMembers(owner)
    await invite(page, email)
    await scene.close(page)
  }

  /** In the menu beside a page, which a phone shows when it is asked to. */
  async function follow(page: Page, name: string) {
    const menu = page.getByRole('button', { name: 'Open the menu' })
    if (window.width < 500) await menu.click()
    await page
      .getByRole('navigation', { name: 'Team' })
      .getByRole('link', { name, exact: true })
      .click()
  }

  async function acceptElsewhere({ email }: Person) {
    const { page } = await scene.open('/', window)
    await page.goto(await scene.linkTo(email, 'accept-invite'))
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('heading', { name: 'You are in the team' }).waitFor()
    await scene.close(page)
  }
})

/** One address, or several with commas between them. */
async function invite(page: Page, emails: string) {
  await page.getByLabel('Invite people').fill(emails)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('The invites are on their way.').waitFor()
  for (const email of emails.split(', ')) await page.getByRole('cell', { name: email }).waitFor()
}

async function leave(page: Page) {
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
}

async function expectTeam(page: Page, { team: teamId }: Person) {
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(generatePath(PAGE_PATHS.team, { teamId }))
}

async function expectOver(page: Page) {
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText('ask for another invite').waitFor()
  await page.getByRole('link', { name: 'Continue' }).waitFor()
}
