import { describe, expect } from 'vitest'
import { z } from 'zod'
import { ADMIN_SECRET } from '../../support/webhooks/platform-environment.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let ownTeam: Awaited<ReturnType<TestPlatform['team']>>
let otherTeam: typeof ownTeam
let ownApp: string
let otherApp: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  ownTeam = await platform.team()
  otherTeam = await platform.team()
  ownApp = await platform.app({ team: ownTeam })
  otherApp = await platform.app({ team: otherTeam })
  for (const app of [ownApp, otherApp]) {
    const action = await platform.action(app)
    await platform.db.query("select from record_nullifier($1, '0x' || repeat('0', 64), '3.0')", [
      action,
    ])
  }
})

describe('a caller with an API key works on the rows of its team', () => {
  test('a team lists only its own apps', async () => {
    expect(await graphql('{ app { id name } }')).toEqual({
      data: { app: [{ id: ownApp, name: 'App' }] },
    })
  })

  test('a team reads an action with its nullifiers in one operation', async () => {
    const actions = await graphql('{ action(where: {action: {_eq: "vote"}}) { id } }')
    const id = actions.data.action[0].id
    const answer = await graphql(
      `{ action(where: {id: {_eq: "${id}"}, status: {_eq: "active"}}) {
        name status is_staging engine return_url nullifiers { nullifier_hash } } }`,
    )
    expect(answer).toEqual({
      data: {
        action: [
          {
            name: '',
            status: 'active',
            is_staging: true,
            engine: 'cloud',
            return_url: '',
            nullifiers: [{ nullifier_hash: `0x${'0'.repeat(64)}` }],
          },
        ],
      },
    })
  })

  test('a team creates an app and an action, and changes the status of the action', async () => {
    const creation = await graphql(
      'mutation { insert_app_one(object: {name: "New", is_staging: true}) { id team_id actions { action } } }',
    )
    expect(creation.data.insert_app_one).toEqual({
      id: expect.stringMatching(/^app_staging_[0-9a-f]{32}$/),
      team_id: ownTeam.id,
      actions: [{ action: '' }],
    })
    const action = await graphql(
      `mutation { insert_action_one(object: {app_id: "${creation.data.insert_app_one.id}", action: "a"}) { id max_verifications } }`,
    )
    expect(action.data.insert_action_one.max_verifications).toBe(1)
    const update = await graphql(
      `mutation { update_action_by_pk(pk_columns: {id: "${action.data.insert_action_one.id}"}, _set: {status: "inactive"}) { status } }`,
    )
    expect(update.data.update_action_by_pk).toEqual({ status: 'inactive' })
  })

  test.each([
    [
      'the app of a team',
      'update_app(where: {id: {_eq: "$APP"}}, _set: {name: "Mine"}) { affected_rows }',
    ],
    [
      'the actions of a team',
      'update_action(where: {app_id: {_eq: "$APP"}}, _set: {name: "x"}) { affected_rows }',
    ],
    [
      'the actions of a team by deleting them',
      'delete_action(where: {app_id: {_eq: "$APP"}}) { affected_rows }',
    ],
  ])('the key of another team cannot change %s', async (_name, operation) => {
    const answer = await graphql(`mutation { ${operation.replace('$APP', otherApp)} }`)
    expect(Object.values(answer.data)).toEqual([{ affected_rows: 0 }])
  })

  test("a team cannot insert an action into another team's app", async () => {
    const answer = await graphql(
      `mutation { insert_action_one(object: {app_id: "${otherApp}", action: "b"}) { id } }`,
    )
    expect(answer.errors[0].extensions.code).toBe('permission-error')
  })

  test('a team cannot delete its sign-in action', async () => {
    const answer = await graphql(
      `mutation { delete_action(where: {app_id: {_eq: "${ownApp}"}, action: {_eq: ""}}) { affected_rows } }`,
    )
    expect(answer.data.delete_action.affected_rows).toBe(0)
  })

  test.each([
    ['the hash of an API key', '{ api_key { secret_hash } }'],
    ['the table of signing keys', '{ jwks { id } }'],
    ['the cache', '{ cache { value } }'],
    ['a password hash', '{ user { password_hash } }'],
    [
      'the function that counts a person',
      'mutation { record_nullifier(args: {action_id: "a", nullifier_hash: "b"}) { id } }',
    ],
    [
      'a change of the team of an app',
      `mutation { update_app(where: {}, _set: {team_id: "x"}) { affected_rows } }`,
    ],
    [
      'a change of is_verified',
      'mutation { update_app(where: {}, _set: {is_verified: true}) { affected_rows } }',
    ],
    [
      'a change of an external nullifier',
      'mutation { update_action(where: {}, _set: {external_nullifier: "x"}) { affected_rows } }',
    ],
    [
      'an id chosen by the caller',
      'mutation { insert_app_one(object: {id: "app_x", name: "x"}) { id } }',
    ],
  ])('%s is not in the schema of an API key', async (_name, query) => {
    expect((await graphql(query)).errors[0].extensions.code).toBe('validation-failed')
  })

  test('a key stops working as soon as it is revoked', async () => {
    const team = await platform.team()
    expect(await graphql('{ team { id } }', team)).toEqual({ data: { team: [{ id: team.id }] } })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    expect((await graphql('{ team { id } }', team)).errors[0].extensions.code).toBe('access-denied')
  })
})

describe('a caller without a valid API key gets 401', () => {
  test.each([
    ['no credentials', {}],
    ['an empty key', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['a malformed key', { authorization: 'Bearer api_nonsense' }],
    ['an unknown key', { authorization: `Bearer api_${encode(`key_${'0'.repeat(32)}:secret`)}` }],
    ['the admin secret', { 'x-hasura-admin-secret': ADMIN_SECRET }],
    ['the admin secret as a bearer', { authorization: `Bearer ${ADMIN_SECRET}` }],
    ['a role in the headers', { 'x-hasura-role': 'admin', 'x-hasura-team-id': 'team_1' }],
  ])('a request with %s gets a GraphQL error with 401', async (_name, headers) => {
    const reply = await platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)
    expect(reply).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { path: '$', code: 'access-denied' } }] },
    })
  })

  test('a request with a wrong secret of an existing key gets 401', async () => {
    const authorization = `Bearer api_${encode(`${ownTeam.keyId}:guess`)}`
    const reply = await platform.post('/v1/graphql', { query: '{ app { id } }' }, { authorization })
    expect(reply.status).toBe(401)
  })
})

test('session variables of a caller are ignored', async () => {
  const reply = await platform.post(
    '/v1/graphql',
    { query: '{ team { id } }' },
    {
      authorization: `Bearer ${ownTeam.apiKey}`,
      'x-hasura-team-id': otherTeam.id,
      'x-hasura-role': 'service',
      'x-hasura-admin-secret': ADMIN_SECRET,
    },
  )
  expect(reply.body).toEqual({ data: { team: [{ id: ownTeam.id }] } })
})

function asTeam(team = ownTeam) {
  return { authorization: `Bearer ${team.apiKey}` }
}

const GraphQLBody = z.object({ data: z.any(), errors: z.any() }).partial()

async function graphql(query: string, team = ownTeam) {
  return GraphQLBody.parse((await platform.post('/v1/graphql', { query }, asTeam(team))).body)
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
