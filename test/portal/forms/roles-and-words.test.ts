import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import {
  complaintsExcept400,
  fitsWidth,
  MAIL_PAGE,
  type PortalScene,
} from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { WINDOWS } from '../../support/portal/visits.ts'
import { PASSWORD } from '../../support/webhooks/mailboxes.ts'
import type { Person } from '../../support/webhooks/people.ts'

// The portal says what is true, and what the user can do.

let scene: PortalScene
let owner: Person
let member: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  member = await scene.createUser()
  ids = await fillTeam(scene, owner)
  await scene.platform.db.query(
    "insert into membership (team_id, user_id, role) values ($1, $2, 'MEMBER')",
    [ids.teamId, member.id],
  )
})

test.for(WINDOWS)(
  'a page that a role may not read says who may, instead of an empty list ($width px)',
  async (window) => {
    const { page, complaints } = await scene.openBlankAs(member.email, window)
    for (const [path, heading, text] of [
      [PAGE_PATHS.keys, 'API keys', 'Only owners and admins can see the API keys of this team.'],
      [PAGE_PATHS.audit, 'Audit', 'Only owners can see the audit trail of this team.'],
      [
        PAGE_PATHS.newApp,
        'Create an app',
        'Only owners and admins can create an app in this team.',
      ],
    ] as const) {
      await page.goto(scene.platform.baseUrl + generatePath(path, ids))
      await page.getByRole('heading', { name: heading }).waitFor()
      await page.getByText(text).waitFor()
      expect(await page.getByText(/No key yet|No changes yet/).count()).toBe(0)
      expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0)
      expect(await fitsWidth(page)).toBe(true)
    }
    await page.getByRole('link', { name: 'See the members and their roles' }).click()
    await page.getByRole('cell', { name: owner.email }).waitFor()
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test('a member reads the issuer, the client id and the redirect URIs, and no secret', async () => {
  const { page, complaints } = await scene.openAs(
    member.email,
    generatePath(PAGE_PATHS.signIn, ids),
  )
  await page.getByText('https://example.com/callback').first().waitFor()
  await page
    .getByRole('row', { name: /^Issuer/ })
    .getByText('http')
    .first()
    .waitFor()
  await page
    .getByRole('row', { name: /^Client id/ })
    .getByText(ids.appId)
    .waitFor()
  await page.getByText('Only owners and admins can make a new secret.').waitFor()
  expect(await page.getByRole('button', { name: /secret|Remove|^Add$/ }).count()).toBe(0)
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('inviting says how many mails are sent, to whom none is and why; an invite can be sent again', async () => {
  const { page, complaints } = await scene.openAs(
    owner.email,
    generatePath(PAGE_PATHS.members, ids),
  )
  const [first, second] = [`first-${owner.email}`, `second-${owner.email}`]
  const field = page.getByLabel('Invite people')
  const button = page.getByRole('button', { name: 'Invite', exact: true })
  const outcome = page.getByRole('status')
  await field.fill(`${first}, ${second}, ${member.email}`)
  await button.click()
  await outcome.getByText('2 invites were sent').waitFor()
  await outcome.getByText(member.email).waitFor()
  expect(await field.inputValue()).toBe('')
  await outcome.getByText('This person is a member of the team already.').waitFor()
  await field.fill(first)
  await button.click()
  await outcome.getByText('No invite was sent').waitFor()
  await outcome.getByText('This person got an invite less than an hour ago.').waitFor()

  const sendAgain = page.getByRole('button', { name: `Send again to ${first}` })
  await sendAgain.click()
  await page.getByRole('alert').getByText(`No invite was sent to ${first}`).waitFor()
  await scene.linkTo(first, 'accept-invite')
  await scene.platform.db.query("update mail set created_at = now() - interval '61 minutes'")
  await sendAgain.click()
  await page.getByText(`Invite sent to ${first}.`).waitFor()
  const { rows } = await scene.platform.db.query(
    'select from mail join invite on invite.id = mail.invite_id where email = $1',
    [first],
  )
  expect(rows).toHaveLength(2)
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('signing up names each missing field, leads to the log-in, and says that an address is not verified yet', async () => {
  const { page, complaints } = await scene.open(PAGE_PATHS.signUp)
  const button = page.getByRole('button', { name: 'Sign up' })
  await button.click()
  for (const error of [
    'Enter your name.',
    'Enter an e-mail address.',
    'Enter a password.',
    'Enter a name for your team.',
  ])
    await page.getByText(error).waitFor()
  expect(await page.locator('[aria-invalid=true]').count()).toBe(4)
  await page.getByLabel('Your name').fill('Grace')
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByLabel('Team name').fill('Compilers')
  await button.click()
  await page.getByText('This address has an account already.').waitFor()
  await page.getByRole('link', { name: 'Log in with it' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(await page.getByLabel('E-mail address').inputValue()).toBe(owner.email)

  await page.goto(`${scene.platform.baseUrl}${PAGE_PATHS.signUp}`)
  const email = `premature-${owner.email}`
  await page.getByLabel('Your name').fill('Grace')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByLabel('Team name').fill('Compilers')
  await button.click()
  await page.getByRole('button', { name: 'I have opened the link' }).click()
  await page.getByRole('alert').getByText('Your address is not verified yet.').waitFor()
  const mailLink = page.getByRole('link', { name: 'Open the mail catcher' })
  expect(await mailLink.getAttribute('href')).toBe(MAIL_PAGE)
  expect(complaintsExcept400({ page, complaints })).toEqual([])
  await scene.close(page)
})

test('a redirect URI that is too long gets an error about its length', async () => {
  const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.signIn, ids))
  await page.getByLabel('Add a redirect URI').fill(`https://example.com/${'x'.repeat(2048)}`)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Enter at most 2,048 characters.').waitFor()
  await scene.close(page)
})
