import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Database, database } from '../support/database.ts'

let db: Database

beforeAll(async () => {
  db = await database('platform')
})
afterAll(() => db.drop())

describe('a team keeps its last owner', () => {
  test('the last owner can neither leave nor be demoted', async () => {
    const { team, owner } = await makeTeam(['OWNER', 'MEMBER'])
    const rejection = { code: '23000', message: 'a team must keep an owner' }
    await expect(db.query('delete from membership where user_id = $1', [owner])).rejects.toThrow(
      rejection.message,
    )
    await expect(
      db.query("update membership set role = 'ADMIN' where user_id = $1", [owner]),
    ).rejects.toMatchObject(rejection)
    await expect(db.query('delete from "user" where id = $1', [owner])).rejects.toMatchObject(
      rejection,
    )
    expect(await rolesIn(team)).toEqual(['MEMBER', 'OWNER'])
  })

  test('one of two owners stays when both leave at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { team } = await makeTeam(['OWNER', 'OWNER'])
      const { rows } = await db.query('select id from membership where team_id = $1', [team])
      const outcomes = await Promise.allSettled(
        rows.map(({ id }) => runOnNewConnection('delete from membership where id = $1', [id])),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await rolesIn(team)).toEqual(['OWNER'])
    }
  })

  test.each([
    ['are given another role', "update membership set role = 'ADMIN' where user_id = $1"],
    ['are removed', 'delete from membership where user_id = $1'],
  ])('owners can delete their account at the moment in which they %s', async (_name, change) => {
    const { team, owner } = await makeTeam(['OWNER', 'OWNER'])
    // The deletion begins just before the other change. Neither may hold a lock that the other waits for.
    await db.query('begin')
    await db.query('select from team where id = $1 for update', [team])
    const deletion = runOnNewConnection('select from delete_account($1)', [owner])
    await waitForLocks(1)
    const otherChange = runOnNewConnection(change, [owner])
    await waitForLocks(2)
    await db.query('commit')
    expect(await deletion).toMatchObject({ rowCount: 1 })
    expect(await otherChange).toMatchObject({ rowCount: 0 })
    expect(await rolesIn(team)).toEqual(['OWNER'])
  })

  test("an owner's role can be changed while another person joins the team", async () => {
    const { team, owner } = await makeTeam(['OWNER', 'OWNER'])
    await db.query('begin')
    await db.query('select from team where id = $1 for key share', [team])
    await runOnNewConnection("update membership set role = 'ADMIN' where user_id = $1", [owner])
    await db.query('commit')
    expect(await rolesIn(team)).toEqual(['ADMIN', 'OWNER'])
  })

  test('the last owner is deleted with the team', async () => {
    const { team } = await makeTeam(['OWNER'])
    await db.query('delete from team where id = $1', [team])
    expect(await rolesIn(team)).toEqual([])
  })
})

const CHANGES = [
  ['an app is created', "insert into app (team_id, name) values ($1, 'New')"],
  ['an app is restored', 'update app set is_archived = false where team_id = $1'],
  ['a key is reactivated', 'update api_key set is_active = true where team_id = $1'],
  [
    'its key adopts a client',
    `select from claim_client($1,
      (select app_id from sign_in_client where registration_token_hash = repeat(md5($1), 2)),
      repeat(md5($1), 2), repeat('0', 64), null,
      (select id from api_key where team_id = $1 and name = 'New'))`,
  ],
] as const

const DELETIONS = [
  ['deleted', 'select from delete_team($1, (select team_id from membership where user_id = $1))'],
  ['deleted with its last member', 'select from delete_account($1)'],
  [
    'blocked',
    "select from block_team((select team_id from membership where user_id = $1), 'A test')",
  ],
] as const

describe.each(
  DELETIONS.flatMap(([how, deletion]) =>
    CHANGES.map(([what, change]) => ({ how, deletion, what, change })),
  ),
)('a team that is $how has no active app or key, even if $what', ({ how, deletion, change }) => {
  let team: string
  let owner: string
  /** Waits for a change. A change of a blocked team may be refused. */
  const settle = async (outcome: Promise<unknown>) => {
    const rejection = await outcome.then(
      () => null,
      (error: Error) => error.message,
    )
    if (how !== 'blocked') expect(rejection).toBe(null)
    else if (rejection !== null) expect(rejection).toBe(`team_blocked: the team ${team} is blocked`)
  }

  beforeEach(async () => {
    const createdTeam = await makeTeam(['OWNER'])
    team = createdTeam.team
    owner = createdTeam.owner
    await db.query("insert into app (team_id, name, is_archived) values ($1, 'Old', true)", [team])
    await db.query(
      "insert into api_key (team_id, name, secret_hash, is_active) values ($1, 'Old', repeat('0', 64), false)",
      [team],
    )
    await db.query(
      "insert into api_key (team_id, name, secret_hash) values ($1, 'New', repeat('1', 64))",
      [team],
    )
    await db.query(
      `select register_client('Shop', '[]', 'web', '["code"]', repeat('0', 64), repeat(md5($1), 2))`,
      [team],
    )
  })
  afterEach(async () => {
    const { rows } = await db.query(
      `select id from app where team_id = $1 and not is_archived
      union all select id from api_key where team_id = $1 and is_active`,
      [team],
    )
    expect(rows).toEqual([])
  })

  test('a change afterwards leaves no app or key active', async () => {
    await db.query(deletion, [owner])
    await settle(db.query(change, [team]))
  })

  test('a change at the same time leaves no app or key active', async () => {
    await db.query('begin')
    await db.query(deletion, [owner])
    const otherChange = settle(runOnNewConnection(change, [team]))
    await waitForLocks(1)
    await db.query('commit')
    await otherChange
  })

  test('a change that commits just before leaves no app or key active', async () => {
    await db.query('begin')
    await db.query(change, [team])
    const deleteResult = runOnNewConnection(deletion, [owner])
    await waitForLocks(1)
    await db.query('commit')
    expect(await deleteResult).toMatchObject({ rowCount: 1 })
  })
})

test('a team is deleted although a person joins and deletes their account at the same time', async () => {
  const { team, owner } = await makeTeam(['OWNER', 'MEMBER'])
  const { owner: guest } = await makeTeam(['OWNER'])
  await db.query('begin')
  await db.query('select from team where id = $1 for key share', [team])
  const deletion = runOnNewConnection('select from delete_team($1, $2)', [owner, team])
  await waitForLocks(1)
  await runOnNewConnection('insert into membership (team_id, user_id) values ($1, $2)', [
    team,
    guest,
  ])
  // The account's deletion locks the new membership, which the team's deletion has not locked, and waits for the team.
  const account = runOnNewConnection('select from delete_account($1)', [guest])
  await waitForLocks(2)
  await db.query('commit')
  expect(await deletion).toMatchObject({ rowCount: 1 })
  expect(await account).toMatchObject({ rowCount: 1 })
  expect(await rolesIn(team)).toEqual([])
})

test.each([
  ['name', "'Other'", false],
  ['logo_url', "'https://example.com/other.png'", false],
  ['engine', "'on-chain'", true],
])(
  'after the %s of a verified app is changed to %s, is_verified is %s',
  async (column, value, verified) => {
    const { team } = await makeTeam(['OWNER'])
    const { rows } = await db.query(
      "insert into app (team_id, name, is_verified) values ($1, 'App', true) returning id",
      [team],
    )
    await db.query(`update app set ${column} = ${value} where id = $1`, [rows[0].id])
    const result = await db.query('select is_verified from app where id = $1', [rows[0].id])
    expect(result.rows).toEqual([{ is_verified: verified }])
  },
)

let people = 0

/** Creates a team with one person for each role; `owner` is the first. */
async function makeTeam(roles: readonly string[]) {
  const { rows } = await db.query("insert into team (name) values ('Team') returning id")
  const team: string = rows[0].id
  const users: string[] = []
  for (const role of roles) {
    const user = await db.query(
      `insert into "user" (email, name, password_hash) values ($1, 'Person', 'x') returning id`,
      [`person-${++people}@example.com`],
    )
    users.push(user.rows[0].id)
    const insert = 'insert into membership (team_id, user_id, role) values ($1, $2, $3)'
    await db.query(insert, [team, user.rows[0].id, role])
  }
  return { team, owner: users[0] ?? '' }
}

async function rolesIn(team: string) {
  const { rows } = await db.query('select role from membership where team_id = $1 order by role', [
    team,
  ])
  return rows.map(({ role }) => role)
}

/** Runs a statement on a separate connection, so that two run at the same time. */
async function runOnNewConnection(text: string, values: readonly string[] = []) {
  const client = new Client(db.url)
  await client.connect()
  try {
    return await client.query(text, [...values])
  } finally {
    await client.end()
  }
}

/** Resolves when this many statements wait for locks. */
async function waitForLocks(count: number): Promise<void> {
  const waitingStatements =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  // A separate connection, since pg_stat_activity does not change within a transaction.
  await vi.waitUntil(
    async () => (await runOnNewConnection(waitingStatements)).rowCount === count,
    30_000,
  )
}
