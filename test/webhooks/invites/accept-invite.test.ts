import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readVisibleText, startBrowser } from '../../support/chromium.ts'
import { startWithInvites } from '../../support/webhooks/invites.ts'
import type { Person } from '../../support/webhooks/people.ts'

let scene: Awaited<ReturnType<typeof startWithInvites>>
let owner: Person
let guest: Person

beforeAll(async () => {
  scene = await startWithInvites()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  owner = await scene.person()
  guest = await scene.person()
})

describe('a user joins a team on the page of an invite', () => {
  test('the invited user joins the team by a button, not by opening the page', async () => {
    await scene.platform.db.query("update team set name = 'A <b>team</b> & co' where id = $1", [
      owner.team,
    ])
    const token = await scene.inviteAndRead(owner, guest.email)
    const browser = await startBrowser()
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 640 } })
      await page.goto(`${scene.platform.baseUrl}/api/v1/accept-invite?token=${token}`)
      await page
        .getByText(
          'You are invited by \u2068Person\u2069 to the team “\u2068A <b>team</b> & co\u2069”.',
        )
        .waitFor()
      expect(await scene.rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER' })
      await page.getByRole('button', { name: 'Join the team' }).press('Enter')
      await page.getByRole('heading', { name: 'You have joined the team' }).waitFor()
      expect(page.url()).not.toContain('token')
    } finally {
      await browser.close()
    }
    expect(await scene.rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER', [guest.id]: 'MEMBER' })
    expect((await scene.press(token)).status).toBe(400)
  })

  test.each(['\u202eabc', '\u2069\u202eabc'])(
    'the page of an invite keeps right-to-left characters inside the team name %j',
    async (name) => {
      await scene.platform.db.query('update team set name = $2 where id = $1', [owner.team, name])
      const token = await scene.inviteAndRead(owner, guest.email)
      const browser = await startBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(`${scene.platform.baseUrl}/api/v1/accept-invite?token=${token}`)
        expect(await readVisibleText(page, 'p')).toBe(
          'You are invited by Person to the team “cba”.',
        )
      } finally {
        await browser.close()
      }
    },
  )

  test('an attacker who signed up with the invited address does not join the team', async () => {
    const email = `squatted-${guest.email}`
    const body = { email, password: 'of-the-attacker', name: 'Person', team_name: 'Team' }
    const { body: attacker } = await scene.platform.post('/api/v1/signup', body)
    const authorization = `Bearer ${Object(attacker).token}`
    const token = await scene.inviteAndRead(owner, email)
    const page = await fetch(`${scene.platform.baseUrl}/api/v1/accept-invite?token=${token}`)
    expect(await page.text()).toContain('There is already an account with your e-mail address')
    expect((await scene.press(token)).status, 'no password').toBe(400)
    expect((await scene.press(token, { password: 'guess-guess' })).status).toBe(400)
    expect(await scene.rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER' })
    const joinReply = await scene.press(token, { new_password: 'of-the-guest' })
    expect(joinReply.text).toContain('You have joined the team')
    expect(Object.values(await scene.rolesIn(owner.team)).toSorted()).toEqual(['MEMBER', 'OWNER'])
    const self = { query: '{ team { id } }' }
    expect((await scene.platform.post('/v1/graphql', self, { authorization })).status).toBe(401)
    expect((await scene.platform.post('/api/v1/login', body)).status).toBe(400)
    const newAccount = { ...body, password: 'of-the-guest' }
    expect((await scene.platform.post('/api/v1/login', newAccount)).status).toBe(200)
  })
})
