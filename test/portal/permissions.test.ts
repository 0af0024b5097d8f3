import { randomBytes, randomUUID } from 'node:crypto'
import { generatePath } from 'react-router'
import { beforeAll, describe, expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { isAllowed, type Permission, type Role } from '../../portal/team/permissions.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { resizeTo, WINDOWS } from '../support/portal/visits.ts'
import type { Person } from '../support/webhooks/people.ts'

const ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const

let scene: PortalScene
let ids: Awaited<ReturnType<typeof fillTeam>>
let people: Record<Role, Person>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  const { createUser } = scene
  people = { OWNER: await createUser(), ADMIN: await createUser(), MEMBER: await createUser() }
  ids = await fillTeam(scene, people.OWNER)
  for (const role of ['ADMIN', 'MEMBER'] as const) await join(ids.teamId, role)
})

/** A GraphQL request for each permission of the portal. No request changes data that another request needs. */
const ATTEMPTS: Record<Permission, (role: Role) => string> = {
  renameTeam: () =>
    `mutation { update_team_by_pk(pk_columns: { id: "${ids.teamId}" }, _set: { name: "Team" }) { id } }`,
  deleteTeam: (role) => `mutation { delete_team(team_id: "${teamToDelete[role]}") { success } }`,
  createApp: () =>
    `mutation { insert_app_one(object: { name: "Another", team_id: "${ids.teamId}" }) { id } }`,
  changeApp: () =>
    `mutation { update_app_by_pk(pk_columns: { id: "${ids.appId}" }, _set: { name: "Club" }) { id } }`,
  changeArchivedApp: () =>
    `mutation { update_app_by_pk(pk_columns: { id: "${archivedApp}" }, _set: { name: "Old" }) { id } }`,
  archiveApp: (role) =>
    `mutation { update_app_by_pk(pk_columns: { id: "${appToArchive[role]}" }, _set: { is_archived: true }) { id } }`,
  changeRequestKey: () => `mutation { rotate_request_key(app_id: "${ids.appId}") { id } }`,
  changeAction: () =>
    `mutation { update_action_by_pk(pk_columns: { id: "${ids.actionId}" }, _set: { name: "Join" }) { id } }`,
  enterPayment: () =>
    `mutation { insert_transaction_one(object: { app_id: "${ids.appId}", reference: "${randomUUID()}", chain: "local", transaction_hash: "0x${randomBytes(32).toString('hex')}", token: "USDCE", token_amount: "1", to: "0x${'a'.repeat(40)}" }) { id } }`,
  readKeys: () => `{ api_key(where: { team_id: { _eq: "${ids.teamId}" } }, limit: 1) { id } }`,
  changeKeys: () => `mutation { create_api_key(team_id: "${ids.teamId}", name: "Key") { id } }`,
  invite: () =>
    `mutation { invite_team_members(team_id: "${ids.teamId}", emails: ["joan@example.com"]) { emails } }`,
  changeMembers: () =>
    `mutation { update_membership(where: { team_id: { _eq: "${ids.teamId}" }, role: { _eq: "MEMBER" } }, _set: { role: "MEMBER" }) { returning { id } } }`,
  readAudit: () => `{ audit(where: { team_id: { _eq: "${ids.teamId}" } }, limit: 1) { id } }`,
}

let archivedApp: string
/** By role, the app that a user with this role tries to archive. */
let appToArchive: Record<Role, string>
/** By role, the team that a user with this role tries to delete. */
let teamToDelete: Record<Role, string>
beforeAll(async () => {
  archivedApp = await insertApp(true)
  appToArchive = {
    OWNER: await insertApp(false),
    ADMIN: await insertApp(false),
    MEMBER: await insertApp(false),
  }
  teamToDelete = {
    OWNER: await createTeam(),
    ADMIN: await createTeam(),
    MEMBER: await createTeam(),
  }
})

describe.each(ROLES)('the role %s has the same permissions in the portal and in Hasura', (role) => {
  test.each(Object.entries(ATTEMPTS))(
    'the portal and Hasura agree on the permission %s',
    async (name, attempt) => {
      const permission = Object.keys(ATTEMPTS).find((key): key is Permission => key === name)
      if (!permission) throw new Error(`unknown permission ${name}`)
      const { data, errors } = await people[role].graphql(attempt(role))
      expect(errors ? false : hasData(data)).toBe(isAllowed(role, permission))
    },
  )
})

type Change = { path: string; buttons: Readonly<Record<string, Permission>> }

/** The buttons of each page that change data, and the permission that each needs. */
const CHANGES: readonly Change[] = [
  { path: PAGE_PATHS.team, buttons: { 'Create an app': 'createApp' } },
  { path: PAGE_PATHS.members, buttons: { Invite: 'invite', Remove: 'changeMembers' } },
  {
    path: PAGE_PATHS.keys,
    buttons: { 'Create a key': 'changeKeys', Revoke: 'changeKeys', Reset: 'changeKeys' },
  },
  { path: PAGE_PATHS.actions, buttons: { 'Create an action': 'changeAction' } },
  {
    path: PAGE_PATHS.payments,
    buttons: {
      'Enter a payment': 'enterPayment',
      Correct: 'enterPayment',
      Remove: 'enterPayment',
    },
  },
  {
    path: PAGE_PATHS.app,
    buttons: { Save: 'changeApp', 'Rotate key': 'changeRequestKey', Archive: 'archiveApp' },
  },
  {
    path: PAGE_PATHS.teamSettings,
    buttons: { Save: 'renameTeam', 'Delete this team': 'deleteTeam' },
  },
  { path: PAGE_PATHS.signIn, buttons: { 'Make a new secret': 'changeApp', Add: 'changeApp' } },
]

test.each(ROLES)(
  '%s sees exactly the buttons of this role, on a wide screen and on a phone',
  async (role) => {
    const { page } = await scene.openBlankAs(people[role].email)
    for (const { path, buttons } of CHANGES) {
      await page.goto(scene.platform.baseUrl + generatePath(path, ids))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
      for (const window of WINDOWS) {
        await resizeTo(page, window)
        for (const [name, permission] of Object.entries(buttons)) {
          const button = page.getByRole('main').getByText(name, { exact: true }).first()
          const count = await button.filter({ visible: true }).count()
          const expectedCount = isAllowed(role, permission) ? 1 : 0
          expect([path, window.width, name, count]).toEqual([
            path,
            window.width,
            name,
            expectedCount,
          ])
        }
      }
    }
    await scene.close(page)
  },
)

test('a stranger gets "Page not found" for the pages of a team', async () => {
  const stranger = await scene.createUser()
  const { page } = await scene.openAs(stranger.email, generatePath(PAGE_PATHS.keys, ids))
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await scene.close(page)
})

/** Creates a team with the same members. */
async function createTeam(): Promise<string> {
  const { data } = await people.OWNER.graphql('mutation { create_team(name: "Team") { team_id } }')
  const id: string = data.create_team.team_id
  for (const role of ['ADMIN', 'MEMBER'] as const) await join(id, role)
  return id
}

async function join(teamId: string, role: Role): Promise<void> {
  await scene.platform.db.query(
    'insert into membership (team_id, user_id, role) values ($1, $2, $3)',
    [teamId, people[role].id, role],
  )
}

/** True if Hasura returned data. Without a permission, it returns null or an empty list. */
function hasData(data: unknown): boolean {
  const [answer] = Object.values(Object(data))
  const rows = Object(answer).returning ?? answer
  return Array.isArray(rows) ? rows.length > 0 : rows !== null
}

async function insertApp(isArchived: boolean): Promise<string> {
  const { rows } = await scene.platform.db.query(
    "insert into app (team_id, name, is_archived) values ($1, 'Old', $2) returning id",
    [ids.teamId, isArchived],
  )
  return rows[0].id
}
