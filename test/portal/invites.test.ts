import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect, onTestFinished } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { enterLogin } from '../support/portal/enter-login.ts'
import { invite } from '../support/portal/invite.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'
import type { Person } from '../support/webhooks/people.ts'

const DAY_MS = 86_400_000

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

describe.each(WINDOWS)('people join a team by an invite ($width px, $colorScheme)', (window) => {
  test('a user with an account joins a team, gets another role, and is removed', async () => {
    const [owner, guest] = [await scene.createUser(), await scene.createUser()]
    const members = await openMembers(owner)
    await invite(members, guest.email)
    const { page } = await scene.open('/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    await page.getByText(/You are invited by \W?Person\W? to the team/).waitFor()
    expect(await page.getByLabel('Account').inputValue()).toBe(guest.email)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('heading', { name: 'You have joined the team' }).waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await enterLogin(page, guest.email)
    await expectTeam(page, owner)
    await page.getByText('No app yet').waitFor()
    expect(await page.getByRole('link', { name: 'Create an app' }).count()).toBe(0)

    await members.reload()
    const row = members.getByRole('row').filter({ hasText: guest.email })
    await row.getByRole('combobox', { name: 'Role of Person' }).click()
    await members.getByRole('option', { name: 'Admin' }).click()
    await members.getByText('Role changed.').waitFor()
    await page.reload()
    await page.getByRole('main').getByRole('link', { name: 'Create an app' }).first().waitFor()

    await row.getByRole('button', { name: 'Remove' }).click()
    await members.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'hidden' })
    await page.reload()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await scene.close(members, page)
  })

  test('a logged-in user accepts an invite and opens the team', async () => {
    const [owner, guest] = [await scene.createUser(), await scene.createUser()]
    await inviteFrom(owner, guest.email)
    const { page } = await scene.openAs(guest.email, '/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await expectTeam(page, owner)
    await scene.close(page)
  })

  test('a user logged in with another account is asked to switch, and then opens the team', async () => {
    const [owner, guest, other] = [
      await scene.createUser(),
      await scene.createUser(),
      await scene.createUser(),
    ]
    await inviteFrom(owner, guest.email)
    const { page } = await scene.openAs(other.email, '/', window)
    await page.goto(await scene.linkTo(guest.email, 'accept-invite'))
    expect(await page.getByLabel('Account').inputValue()).toBe(guest.email)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByText(`You are logged in as ${other.email}`).waitFor()
    await page.getByRole('button', { name: 'Use another account' }).click()
    await enterLogin(page, guest.email)
    await expectTeam(page, owner)
    await scene.close(page)
  })

  test('an invited person creates an account on the page of the invite', async () => {
    const owner = await scene.createUser()
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

  test('the link of a withdrawn or expired invite no longer works', async () => {
    const owner = await scene.createUser()
    const members = await openMembers(owner)
    await invite(members, `first-${owner.email}, second-${owner.email}`)
    // Waits for the mail first, since withdrawing an invite also cancels a mail that is not sent yet.
    const link = await scene.linkTo(`first-${owner.email}`, 'accept-invite')
    const first = members.getByRole('row').filter({ hasText: `first-${owner.email}` })
    await first.getByRole('button', { name: 'Withdraw' }).click()
    await members.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await first.waitFor({ state: 'hidden' })
    const { page } = await scene.open('/', window)
    await page.goto(link)
    await expectInvalidLink(page)
    onTestFinished(() => {
      scene.platform.clock.aheadMs = 0
    })
    scene.platform.clock.aheadMs = 8 * DAY_MS
    await page.goto(await scene.linkTo(`second-${owner.email}`, 'accept-invite'))
    scene.platform.clock.aheadMs = 0
    await expectInvalidLink(page)
    await scene.close(members, page)
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
})

async function expectTeam(page: Page, { team: teamId }: Person) {
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(generatePath(PAGE_PATHS.team, { teamId }))
}

async function expectInvalidLink(page: Page) {
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText('ask for another invite').waitFor()
  await page.getByRole('link', { name: 'Continue' }).waitFor()
}
