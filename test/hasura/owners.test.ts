import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'

// Tests the rules about owners that the database enforces for API keys even if the metadata allows more. Also tests the
// mails to owners.

let db: Database
let team: string
let owner: string
let other: string
let member: string
let people = 0

beforeAll(async () => {
  db = await database('platform')
})
afterAll(() => db.drop())
beforeEach(async () => {
  const { rows } = await db.query("insert into team (name) values ('Team') returning id")
  team = rows[0].id
  owner = await join('OWNER')
  other = await join('OWNER')
  member = await join('MEMBER')
})

describe('a service that acts for an API key cannot change owners', () => {
  const KEY = { 'x-hasura-role': 'service', 'x-hasura-api-key-id': 'key_1' }

  test.each([
    ['make a member an owner', "update membership set role = 'OWNER' where user_id = $1", 'member'],
    ['demote an owner', "update membership set role = 'ADMIN' where user_id = $1", 'owner'],
    ['remove an owner', 'delete from membership where user_id = $1', 'owner'],
    ['remove an owner with their account', 'delete from "user" where id = $1', 'owner'],
    [
      'add an owner',
      `insert into membership (team_id, user_id, role)
      select team_id, (select id from "user" where email = 'outside@example.com'), 'OWNER'
      from membership where user_id = $1`,
      'owner',
    ],
  ])('an API key cannot %s', async (_what, statement, whom) => {
    await db.query(`insert into "user" (email, name, password_hash)
      values ('outside@example.com', 'Person', 'x') on conflict do nothing`)
    await expect(as(KEY, statement, [whom === 'owner' ? owner : member])).rejects.toMatchObject({
      code: '23514',
      message: 'an API key cannot create, change or remove an owner',
    })
  })

  test('an API key can change the role of members and remove them', async () => {
    await as(KEY, "update membership set role = 'ADMIN' where user_id = $1", [member])
    await as(KEY, 'delete from membership where user_id = $1', [member])
    expect(await rolesIn(team)).toEqual(['OWNER', 'OWNER'])
  })
})

test('an invite cannot have the role OWNER', async () => {
  const insert = "insert into invite (team_id, email, role) values ($1, 'guest@example.com', $2)"
  await expect(db.query(insert, [team, 'OWNER'])).rejects.toMatchObject({
    constraint: 'invite_role_check',
  })
  await db.query(insert, [team, 'ADMIN'])
})

describe('an owner gets a mail about a lost role', () => {
  const demote = "update membership set role = 'ADMIN' where user_id = $1"
  const remove = 'delete from membership where user_id = $1'

  test.each([
    ['is demoted', demote, 'owner_demoted'],
    ['is removed', remove, 'owner_removed'],
  ])('an owner who %s gets a mail that says by whom', async (_what, statement, kind) => {
    await as({ 'x-hasura-user-id': other }, statement, [owner])
    const { rows } = await db.query('select email from "user" where id = $1', [other])
    expect(await mailsTo(owner)).toEqual([{ kind, team_id: team, actor_email: rows[0].email }])
    expect(await mailsTo(other)).toEqual([])
  })

  test('an owner gets a mail if the role is changed directly in the database', async () => {
    await db.query(demote, [owner])
    expect(await mailsTo(owner)).toEqual([
      { kind: 'owner_demoted', team_id: team, actor_email: null },
    ])
  })

  test('an owner gets at most three mails an hour about one team', async () => {
    for (let round = 0; round < 5; round++) {
      await db.query(demote, [owner])
      await db.query("update membership set role = 'OWNER' where user_id = $1", [owner])
    }
    expect(await mailsTo(owner)).toHaveLength(3)
  })

  test.each([
    ['a member who is removed', () => db.query(remove, [member]), () => member],
    [
      'an owner of a deleted team, who gets another mail',
      () => db.query('select from delete_team($1, $2)', [other, team]),
      () => owner,
    ],
    [
      'an owner with an unverified address',
      async () => {
        await db.query('update "user" set email_verified_at = null where id = $1', [owner])
        await db.query(remove, [owner])
      },
      () => owner,
    ],
    [
      'an owner who deletes the account',
      () => db.query('select from delete_account($1)', [owner]),
      () => owner,
    ],
  ])('no mail about a lost role goes to %s', async (_who, change, whom) => {
    await change()
    expect((await mailsTo(whom())).filter(({ kind }) => kind !== 'team_deleted')).toEqual([])
  })
})

async function join(role: string): Promise<string> {
  const { rows } = await db.query(
    `with person as (
      insert into "user" (email, name, password_hash, email_verified_at)
      values ($1, 'Person', 'x', now()) returning id
    )
    insert into membership (team_id, user_id, role) select $2, id, $3 from person returning user_id`,
    [`person-${++people}@example.com`, team, role],
  )
  return rows[0].user_id
}

/** Runs a statement in a transaction with the session variables that Hasura would set. */
async function as(session: Record<string, string>, statement: string, values: readonly string[]) {
  await db.query('begin')
  try {
    await db.query("select set_config('hasura.user', $1, true)", [JSON.stringify(session)])
    await db.query(statement, [...values])
    await db.query('commit')
  } catch (error) {
    await db.query('rollback')
    throw error
  }
}

async function mailsTo(user: string) {
  const { rows } = await db.query(
    'select kind, team_id, actor_email from mail where user_id = $1',
    [user],
  )
  return rows
}

async function rolesIn(ofTeam: string): Promise<string[]> {
  const { rows } = await db.query('select role from membership where team_id = $1 order by role', [
    ofTeam,
  ])
  return rows.map(({ role }) => role)
}
