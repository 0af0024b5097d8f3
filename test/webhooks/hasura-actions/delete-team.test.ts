import { beforeEach, describe, expect } from 'vitest'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import { callAction, type Person, peopleOf } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let person: ReturnType<typeof peopleOf>
let owner: Person
let peer: Person
let team: Team

type Team = Awaited<ReturnType<typeof makeTeam>>

test.beforeAll(async ({ platformWithActions: shared }) => {
  platform = shared
  person = peopleOf(platform)
  owner = await person()
  peer = await person()
})
beforeEach(async () => {
  team = await makeTeam({ OWNER: owner, MEMBER: peer })
})

test('an owner deletes a team: its keys, apps, invites and memberships end, and its counts stay', async () => {
  expect(await deleteTeam(owner)).toEqual({ data: { delete_team: { success: true } } })
  expect(await leftovers()).toEqual([])
  const { rows } = await platform.db.query(
    'select count(*)::int from nullifier join action on action.id = action_id where app_id = $1',
    [team.app],
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('members and API keys lose access to a deleted team at once', async () => {
  const headers = { authorization: `Bearer ${team.apiKey}` }
  const query = '{ app { id } }'
  expect(Object((await platform.post('/v1/graphql', { query }, headers)).body)).toHaveProperty(
    'data',
  )
  await deleteTeam(owner)
  expect((await platform.post('/v1/graphql', { query }, headers)).status).toBe(401)
  for (const { graphql } of [owner, peer]) {
    const { data } = await graphql('query ($id: String!) { team_by_pk(id: $id) { id } }', {
      id: team.id,
    })
    expect(data).toEqual({ team_by_pk: null })
    // Their other teams are still there.
    expect((await graphql('{ team { id } }')).data.team).not.toEqual([])
  }
})

test('a mail tells the other members with verified addresses who deleted the team', async () => {
  const [deleter, member, unverified] = [await person(), await person(), await person()]
  team = await makeTeam({ OWNER: deleter, ADMIN: member, MEMBER: unverified })
  await platform.db.query('update "user" set email_verified_at = null where id = $1', [
    unverified.id,
  ])
  await deleteTeam(deleter)
  const { rows } = await platform.db.query(
    "select user_id, actor_email from mail where kind = 'team_deleted' and user_id = any ($1)",
    [[deleter.id, member.id, unverified.id]],
  )
  expect(rows).toEqual([{ user_id: member.id, actor_email: deleter.email }])
})

test('the audit trail names the user who deleted the team', async () => {
  await deleteTeam(owner)
  const { rows } = await platform.db.query(
    "select subject, operation, changes from audit where team_id = $1 and actor_role = 'user' and actor_id = $2",
    [team.id, owner.id],
  )
  expect(rows).toContainEqual({
    subject: 'team',
    operation: 'update',
    changes: { deleted_at: { new: expect.any(String) } },
  })
  expect(rows.map(({ subject, operation }) => `${operation} ${subject}`).toSorted()).toEqual([
    'delete invite',
    'delete membership',
    'delete membership',
    'update api_key',
    'update app',
    'update team',
  ])
})

describe('delete_team is rejected', () => {
  test.each(['ADMIN', 'MEMBER', null])('the role %s cannot delete a team', async (role) => {
    const { rowCount } = role
      ? await setRole(peer, role)
      : await platform.db.query('delete from membership where user_id = $1 and team_id = $2', [
          peer.id,
          team.id,
        ])
    expect(rowCount).toBe(1)
    const refusal = await deleteTeam(peer)
    expect(codeOf(refusal)).toBe('permission_denied')
    expect(refusal).toEqual(await deleteTeam(peer, 'team_none'))
    expect(await leftovers()).toContain('the team')
  })

  test('delete_team is rejected for a team that is already deleted', async () => {
    await deleteTeam(owner)
    expect(codeOf(await deleteTeam(owner))).toBe('permission_denied')
  })

  test('delete_team is rejected for an API key', async () => {
    const session = {
      'x-hasura-role': 'api_key',
      'x-hasura-team-id': team.id,
      'x-hasura-api-key-id': team.keyId,
    }
    expect(await callAction(platform, 'delete_team', { team_id: team.id }, session)).toMatchObject({
      status: 400,
      body: { extensions: { code: 'unauthenticated' } },
    })
    expect(await leftovers()).toContain('the team')
  })
})

/** The changes that run while a team is deleted. `role` is the role of the second user in the team, if any. */
const RACES: Record<string, { role: string; act(): Promise<unknown> }> = {
  'another owner leaves': {
    role: 'OWNER',
    act: () =>
      peer.graphql(
        `mutation { delete_membership(where: { team_id: { _eq: "${team.id}" }, user_id: { _eq: "${peer.id}" } }) { affected_rows } }`,
      ),
  },
  'a member becomes an owner': {
    role: 'MEMBER',
    act: () =>
      owner.graphql(
        `mutation { update_membership(where: { team_id: { _eq: "${team.id}" }, user_id: { _eq: "${peer.id}" } }, _set: { role: "OWNER" }) { affected_rows } }`,
      ),
  },
  'an app is restored': {
    role: 'OWNER',
    act: () =>
      peer.graphql(
        `mutation { update_app_by_pk(pk_columns: { id: "${team.app}" }, _set: { is_archived: false }) { id } }`,
      ),
  },
  'an app is created': {
    role: 'ADMIN',
    act: () =>
      peer.graphql(
        `mutation { insert_app_one(object: { name: "New", team_id: "${team.id}" }) { id } }`,
      ),
  },
  'a key is created': {
    role: 'OWNER',
    act: () =>
      peer.graphql(`mutation { create_api_key(team_id: "${team.id}", name: "New") { id } }`),
  },
  'people are invited': {
    role: 'OWNER',
    act: () =>
      peer.graphql(
        `mutation { invite_team_members(team_id: "${team.id}", emails: ["new@example.com"]) { emails } }`,
      ),
  },
  'an invite is accepted': {
    role: '',
    act: () => peer.graphql(`mutation { accept_invite(token: "${team.token}") { team_id } }`),
  },
  'its key adopts a client': {
    role: 'MEMBER',
    act: () =>
      platform.post(
        '/v1/graphql',
        {
          query: `mutation { claim_client(team_id: "${team.id}", client_id: "${team.client}", registration_access_token: "${team.token}") { client_id } }`,
        },
        { authorization: `Bearer ${team.apiKey}` },
      ),
  },
}

describe('a deleted team leaves nothing in use if another change runs at the same moment', () => {
  test.each(Object.entries(RACES))(
    'a team is deleted completely while %s',
    async (_, { role, act }) => {
      for (let round = 0; round < 5; round++) {
        team = await makeTeam({ OWNER: owner, ...(role !== 'OWNER' && role && { [role]: peer }) })
        if (role === 'OWNER') await join(peer, role)
        const [deletion, answer] = await Promise.all([deleteTeam(owner), act()])
        expect(deletion).toEqual({ data: { delete_team: { success: true } } })
        expect(JSON.stringify(answer)).not.toMatch(/concurrent-update|unexpected|internal/)
        expect(await leftovers()).toEqual([])
      }
    },
  )

  test('a deleted team leaves nothing in use if another owner deletes their account at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const leavingOwner = await person()
      team = await makeTeam({ OWNER: owner, MEMBER: peer })
      await join(leavingOwner, 'OWNER')
      const [deletion, accountDeletion] = await Promise.all([
        deleteTeam(owner),
        leavingOwner.graphql('mutation { delete_account(password: "difference") { success } }'),
      ])
      expect(deletion).toEqual({ data: { delete_team: { success: true } } })
      expect(accountDeletion).toEqual({ data: { delete_account: { success: true } } })
      expect(await leftovers()).toEqual([])
    }
  })
})

test('one of two owners who delete a team at the same moment succeeds, and the other gets permission_denied', async () => {
  for (let round = 0; round < 5; round++) {
    team = await makeTeam({ OWNER: owner })
    await join(peer, 'OWNER')
    const answers = await Promise.all([owner, peer].map((each) => deleteTeam(each)))
    expect(answers.map((answer) => codeOf(answer) ?? 'done').toSorted()).toEqual([
      'done',
      'permission_denied',
    ])
    expect(await leftovers()).toEqual([])
  }
})

test('an owner who loses the role at the same moment either deletes the whole team or nothing', async () => {
  for (let round = 0; round < 5; round++) {
    team = await makeTeam({ OWNER: owner })
    await join(peer, 'OWNER')
    const [deletion] = await Promise.all([
      deleteTeam(owner),
      peer.graphql(
        `mutation { update_membership(where: { team_id: { _eq: "${team.id}" }, user_id: { _eq: "${owner.id}" } }, _set: { role: "MEMBER" }) { affected_rows } }`,
      ),
    ])
    const parts = await leftovers()
    if (codeOf(deletion) === undefined) expect(parts).toEqual([])
    else expect(parts).toEqual(['an app', 'a key', 'an invite', 'a member', 'a member', 'the team'])
  }
})

/**
 * Creates a team of these people with an app, a counted person, a key, an invite, and a client that
 * the team may adopt.
 */
async function makeTeam(members: Readonly<Record<string, Person>>) {
  const createdTeam = await platform.team()
  const app = await platform.app({ team: createdTeam })
  const action = await platform.action(app)
  await platform.db.query('insert into nullifier (action_id, nullifier_hash) values ($1, $2)', [
    action,
    `0x${'0'.repeat(63)}1`,
  ])
  const token = crypto.randomUUID()
  await platform.db.query(
    `with invited as (
      insert into invite (team_id, email) values ($1, $2) returning id
    )
    insert into invite_token (token_hash, invite_id) select $3, id from invited`,
    [createdTeam.id, peer.email, hashToken(token)],
  )
  const { rows } = await platform.db.query(
    `select app_id from register_client('Shop', '[]', 'web', '["code"]', repeat('a', 64), $1)`,
    [hashToken(token)],
  )
  for (const [role, member] of Object.entries(members)) await join(member, role, createdTeam.id)
  return { ...createdTeam, app, token, client: String(rows[0].app_id) }
}

async function join({ id }: Person, role: string, to = team.id) {
  const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
  await platform.db.query(insert, [id, to, role])
}

async function setRole({ id }: Person, role: string) {
  const update = 'update membership set role = $3 where user_id = $1 and team_id = $2'
  return platform.db.query(update, [id, team.id, role])
}

function deleteTeam(caller: Person, team_id = team.id) {
  const query = 'mutation ($team_id: String!) { delete_team(team_id: $team_id) { success } }'
  return caller.graphql(query, { team_id })
}

/** Lists the parts of the team that are still in use. */
async function leftovers(): Promise<string[]> {
  const { rows } = await platform.db.query(
    `select 'an app' as what from app where team_id = $1 and not is_archived
    union all select 'a key' from api_key where team_id = $1 and is_active
    union all select 'an invite' from invite where team_id = $1
    union all select 'a member' from membership where team_id = $1
    union all select 'the team' from team where id = $1 and deleted_at is null`,
    [team.id],
  )
  return rows.map(({ what }) => what)
}

function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
