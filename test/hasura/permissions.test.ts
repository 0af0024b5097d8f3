import { describe, expect, test } from 'vitest'
import { APP, project, setTheScene, TEAM } from '../support/hasura/own-team-scene.ts'
import { CALLERS } from '../support/hasura/team-callers.ts'
import { teamRowId } from '../support/hasura/team-rows.ts'

// The rights of each role within its own team. The leak tests cover other teams.

const ACTION = teamRowId('mine', 'action', 1)
const ADMIN = teamRowId('mine', 'memb', 2)

setTheScene()

/** The number of affected rows or the error code; `absent` if the role's schema lacks the field. */
type Outcome = number | 'absent' | 'permission-error' | 'constraint-violation'
/** The outcomes for the owner, the admin, the member and the API key, in this order. */
type Outcomes = [Outcome, Outcome, Outcome, Outcome]

const writes: [string, string, Outcomes][] = [
  ['rename the team', 'update_team(where: {}, _set: {name: "x"})', [1, 0, 0, 1]],
  ['delete rows of teams', 'delete_team_rows(where: {})', ['absent', 'absent', 'absent', 'absent']],
  [
    'create an app',
    `insert_app(objects: {name: "x", team_id: "${TEAM}"})`,
    [1, 1, 'permission-error', 'absent'],
  ],
  ['rename an app', `update_app(where: {id: {_eq: "${APP}"}}, _set: {name: "x"})`, [1, 1, 0, 1]],
  [
    'archive an app',
    `update_app(where: {id: {_eq: "${APP}"}}, _set: {is_archived: true})`,
    [1, 'permission-error', 0, 1],
  ],
  [
    'let unknown actions be created',
    `update_app(where: {id: {_eq: "${APP}"}}, _set: {creates_actions: true})`,
    [1, 1, 0, 1],
  ],
  [
    'choose an rp id',
    'update_app(where: {}, _set: {rp_id: "rp_0"})',
    ['absent', 'absent', 'absent', 'absent'],
  ],
  ['delete an app', 'delete_app(where: {})', ['absent', 'absent', 'absent', 'absent']],
  [
    'verify an app',
    'update_app(where: {}, _set: {is_verified: true})',
    ['absent', 'absent', 'absent', 'absent'],
  ],
  [
    'create an action',
    `insert_action(objects: {app_id: "${APP}", action: "x"})`,
    [1, 1, 'permission-error', 1],
  ],
  [
    'deactivate an action',
    `update_action(where: {id: {_eq: "${ACTION}"}}, _set: {status: "inactive"})`,
    [1, 1, 0, 1],
  ],
  [
    'change the protocol of an action that has counted people',
    `update_action(where: {id: {_eq: "${ACTION}"}}, _set: {protocol: "4.0"})`,
    ['constraint-violation', 'constraint-violation', 0, 'constraint-violation'],
  ],
  [
    'change the credentials of an action',
    `update_action(where: {id: {_eq: "${ACTION}"}}, _set: {credentials: ["passport"]})`,
    [1, 1, 0, 1],
  ],
  [
    'change the protocol of a sign-in action',
    'update_action(where: {action: {_eq: ""}}, _set: {protocol: "4.0"})',
    ['permission-error', 'permission-error', 0, 'permission-error'],
  ],
  [
    'insert a request signing key without the action create_request_key',
    `insert_request_key(objects: {app_id: "${APP}"})`,
    ['absent', 'absent', 'absent', 'absent'],
  ],
  [
    'delete a request signing key',
    'delete_request_key(where: {})',
    ['absent', 'absent', 'absent', 'absent'],
  ],
  ['delete an action', `delete_action(where: {id: {_eq: "${ACTION}"}})`, [1, 1, 0, 1]],
  ['delete a sign-in action', 'delete_action(where: {action: {_eq: ""}})', [0, 0, 0, 0]],
  [
    'limit a sign-in action',
    'update_action(where: {action: {_eq: ""}}, _set: {max_verifications: 1})',
    ['permission-error', 'permission-error', 0, 'permission-error'],
  ],
  [
    'insert a nullifier',
    `insert_nullifier(objects: {action_id: "${ACTION}"})`,
    ['absent', 'absent', 'absent', 'absent'],
  ],
  [
    'insert a key without the action create_api_key',
    `insert_api_key(objects: {name: "x"})`,
    ['absent', 'absent', 'absent', 'absent'],
  ],
  ['revoke a key', 'update_api_key(where: {}, _set: {is_active: false})', [1, 0, 0, 'absent']],
  [
    'add a redirect',
    `insert_redirect(objects: {app_id: "${APP}", redirect_uri: "https://example.com/x"})`,
    [1, 1, 'permission-error', 1],
  ],
  ['delete a redirect', 'delete_redirect(where: {})', [1, 1, 0, 1]],
  [
    'change the role of an admin',
    `update_membership(where: {id: {_eq: "${ADMIN}"}}, _set: {role: "MEMBER"})`,
    [1, 0, 0, 1],
  ],
  [
    'make all members owners',
    'update_membership(where: {role: {_neq: "OWNER"}}, _set: {role: "OWNER"})',
    [3, 0, 0, 'permission-error'],
  ],
  [
    'join a team',
    `insert_membership(objects: {team_id: "${TEAM}"})`,
    ['absent', 'absent', 'absent', 'absent'],
  ],
  ['remove an admin', `delete_membership(where: {id: {_eq: "${ADMIN}"}})`, [1, 1, 0, 1]],
  ['remove all members', 'delete_membership(where: {})', ['constraint-violation', 1, 1, 3]],
  ['withdraw an invite', 'delete_invite(where: {})', [1, 0, 0, 1]],
  [
    'enter a payment',
    `insert_transaction(objects: {app_id: "${APP}", reference: "x", chain: "worldchain", transaction_hash: "0x${'e'.repeat(64)}", token: "USDCE", token_amount: "1", to: "0x${'e'.repeat(40)}"})`,
    [1, 1, 'permission-error', 1],
  ],
  [
    'settle a transaction',
    'update_transaction(where: {}, _set: {transaction_status: "mined"})',
    ['absent', 'absent', 'absent', 'absent'],
  ],
  ["change a user's name", 'update_user(where: {}, _set: {name: "x"})', [1, 1, 1, 'absent']],
  ['rewrite the audit trail', 'delete_audit(where: {})', ['absent', 'absent', 'absent', 'absent']],
]

describe.each(writes)(
  'a mutation to %s has the result that the role of its caller allows',
  (_name, mutation, [owner, admin, member, key]) => {
    test.each([
      ['owner', owner],
      ['admin', admin],
      ['member', member],
      ['key', key],
    ] as const)('for the caller %s the mutation results in %s', async (caller, outcome) => {
      expect(await change(mutation, CALLERS[caller])).toBe(outcome)
    })
  },
)

test('an admin who tries to delete every membership deletes only their own', async () => {
  const { body } = await project.graphql(
    `mutation { delete_membership(where: {}) { returning { user_id } } }`,
    {},
    CALLERS.admin,
  )
  const user_id = CALLERS.admin['x-hasura-user-id']
  expect(body).toEqual({ data: { delete_membership: { returning: [{ user_id }] } } })
})

const reads: [string, Outcomes][] = [
  ['team', [1, 1, 1, 1]],
  ['app', [2, 2, 2, 2]],
  ['action', [4, 4, 4, 4]],
  ['nullifier', [3, 3, 3, 3]],
  ['api_key', [1, 1, 0, 1]],
  ['redirect', [1, 1, 1, 1]],
  ['request_key', [1, 1, 1, 1]],
  ['sign_in_client', [1, 1, 1, 1]],
  ['membership', [4, 4, 4, 4]],
  ['invite', [1, 1, 1, 1]],
  ['transaction', [1, 1, 1, 1]],
  ['user', [4, 4, 4, 4]],
  ['jwks', ['absent', 'absent', 'absent', 'absent']],
  ['mail', ['absent', 'absent', 'absent', 'absent']],
  ['cache', ['absent', 'absent', 'absent', 'absent']],
  ['invite_token', ['absent', 'absent', 'absent', 'absent']],
]

test.each(reads)(
  'owner, admin, member and key read this many rows of %s: %j',
  async (table, outcomes) => {
    const { owner, admin, member, key } = CALLERS
    const counts = []
    for (const caller of [owner, admin, member, key]) {
      const { body } = await project.graphql(`{ ${table} { __typename } }`, {}, caller)
      const { data, errors } = Object(body)
      counts.push(errors ? 'absent' : data[table].length)
    }
    expect(counts).toEqual(outcomes)
  },
)

test('an API key cannot create, demote or remove an owner, even if another owner remains', async () => {
  const [owner, second] = [1, 2].map((n) => teamRowId('mine', 'memb', n))
  await project.sql(`update membership set role = 'OWNER' where id = '${second}'`)
  const ownerRows = `{team_id: {_eq: "${TEAM}"}, role: {_eq: "OWNER"}}`
  for (const mutation of [
    `update_membership(where: ${ownerRows}, _set: {role: "ADMIN"}) { affected_rows }`,
    `update_membership(where: ${ownerRows}, _set: {role: "OWNER"}) { affected_rows }`,
    `update_membership_many(updates: [{where: ${ownerRows}, _set: {role: "MEMBER"}}]) { affected_rows }`,
    `delete_membership(where: ${ownerRows}) { affected_rows }`,
  ])
    expect(await sendAsKey(mutation)).toMatch(/"affected_rows":0/)
  for (const mutation of [
    `update_membership_by_pk(pk_columns: {id: "${owner}"}, _set: {role: "MEMBER"}) { id }`,
    `delete_membership_by_pk(id: "${owner}") { id }`,
  ])
    expect(await sendAsKey(mutation)).toMatch(/_by_pk":null/)
  const admin = teamRowId('mine', 'memb', 3)
  for (const mutation of [
    `update_membership_by_pk(pk_columns: {id: "${admin}"}, _set: {role: "OWNER"}) { id }`,
    `update_membership_many(updates: [{where: {id: {_eq: "${admin}"}}, _set: {role: "OWNER"}}]) { affected_rows }`,
  ])
    expect(await sendAsKey(mutation)).toMatch(/"code":"permission-error"/)
  const rows = await project.rows(
    `select id from membership where team_id = '${TEAM}' and role = 'OWNER' order by id`,
  )
  expect(rows).toEqual([[owner], [second]])
})

async function sendAsKey(mutation: string): Promise<string> {
  return JSON.stringify((await project.graphql(`mutation { ${mutation} }`, {}, CALLERS.key)).body)
}

test('an API key has no mutations for API keys, so a thief cannot create a second key that survives the revocation', async () => {
  const { body } = await project.graphql(
    '{ __schema { mutationType { fields { name } } } }',
    {},
    CALLERS.key,
  )
  const fields: { name: string }[] = Object(body).data.__schema.mutationType.fields
  expect(fields.map(({ name }) => name).filter((name) => name.includes('api_key'))).toEqual([])
})

test('an owner can change and restore an archived app, and an admin cannot', async () => {
  await project.sql(`update app set is_archived = true where id = '${APP}'`)
  const restoreApp = `update_app(where: {id: {_eq: "${APP}"}}, _set: {is_archived: false})`
  expect(await change(restoreApp, CALLERS.admin)).toBe(0)
  expect(await change(restoreApp, CALLERS.owner)).toBe(1)
})

test("an app that an API key creates belongs to the key's team", async () => {
  const insertApp = `mutation { insert_app_one(object: {name: "x"}) { team_id actions { action } } }`
  expect((await project.graphql(insertApp, {}, CALLERS.key)).body).toEqual({
    data: { insert_app_one: { team_id: TEAM, actions: [{ action: '' }] } },
  })
})

test('the role reviewer can verify an app, and has only the mutations of the tasks on tasks.md', async () => {
  const verify = `update_app(where: {id: {_eq: "${APP}"}}, _set: {is_verified: true})`
  expect(await change(verify, CALLERS.reviewer)).toBe(1)
  const { body } = await project.graphql(
    '{ __schema { mutationType { fields { name } } } }',
    {},
    CALLERS.reviewer,
  )
  const fields: { name: string }[] = Object(body).data.__schema.mutationType.fields
  const tables = ['api_key', 'app', 'membership', 'quota']
  expect(fields.map(({ name }) => name).toSorted()).toEqual([
    'block_team',
    'create_app_with_id',
    'delete_person',
    'delete_user_account',
    'finish_import',
    'import_people',
    'start_import',
    'unblock_team',
    ...tables.flatMap((name) => ['', '_by_pk', '_many'].map((form) => `update_${name}${form}`)),
  ])
  const columns = await Promise.all(tables.map(readSetColumns))
  expect(columns).toEqual([['is_active'], ['is_verified'], ['role'], ['most']])
})

/** Returns the columns that the role reviewer may update. */
async function readSetColumns(table: string): Promise<string[]> {
  const query = `{ __type(name: "${table}_set_input") { inputFields { name } } }`
  const { body } = await project.graphql(query, {}, CALLERS.reviewer)
  return Object(body).data.__type.inputFields.map(({ name }: { name: string }) => name)
}

async function change(mutation: string, caller: Record<string, string>): Promise<unknown> {
  const { body } = await project.graphql(`mutation { ${mutation} { affected_rows } }`, {}, caller)
  const { data, errors } = Object(body)
  if (data) return Object.values<{ affected_rows: number }>(data)[0]?.affected_rows
  const { code } = errors[0].extensions
  return code === 'validation-failed' ? 'absent' : code
}
