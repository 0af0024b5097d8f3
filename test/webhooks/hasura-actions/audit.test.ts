import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, peopleOf } from '../../support/webhooks/people.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let owner: Person
let app: string

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  owner = await peopleOf(platform)()
  app = await platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
})
afterAll(() => platform.stop())

test('the audit trail names the user who creates, resets and revokes a key, and contains no secret', async () => {
  const creation = await owner.graphql(
    `mutation { create_api_key(team_id: "${owner.team}", name: "Server") { id api_key } }`,
  )
  const { id, api_key } = creation.data.create_api_key
  await owner.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
  await owner.graphql(
    `mutation { update_api_key_by_pk(pk_columns: {id: "${id}"}, _set: {is_active: false}) { id } }`,
  )
  const actor = { actor_role: 'user', actor_id: owner.id }
  const trail = await trailOf(id)
  expect(trail).toEqual([
    {
      ...actor,
      operation: 'insert',
      changes: { name: { new: 'Server' }, is_active: { new: true }, secret: { changed: true } },
    },
    { ...actor, operation: 'update', changes: { secret: { changed: true } } },
    { ...actor, operation: 'update', changes: { is_active: { old: true, new: false } } },
  ])
  const secret = Buffer.from(api_key.slice(4), 'base64url').toString().split(':')[1] ?? ''
  const { rows } = await platform.db.query(
    `select count(*)::int from audit
    where audit::text like '%' || $1 || '%' or audit::text ~ '[0-9a-f]{64}'`,
    [secret],
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('the audit trail names the API key that changes a limit', async () => {
  const team = await platform.team()
  const action = await platform.action(await platform.app({ team }))
  await platform.post(
    '/v1/graphql',
    {
      query: `mutation { update_action_by_pk(pk_columns: {id: "${action}"}, _set: {max_verifications: 5}) { id } }`,
    },
    { authorization: `Bearer ${team.apiKey}` },
  )
  const { rows } = await platform.db.query(
    "select team_id, actor_role, actor_id, changes from audit where subject_id = $1 and operation = 'update'",
    [action],
  )
  expect(rows).toEqual([
    {
      team_id: team.id,
      actor_role: 'api_key',
      actor_id: team.keyId,
      changes: { max_verifications: { old: 1, new: 5 } },
    },
  ])
})

test('the audit trail names the user or the API key that creates an app', async () => {
  const team = await platform.team()
  const asKey = (query: string) =>
    platform.post('/v1/graphql', { query }, { authorization: `Bearer ${team.apiKey}` })
  const byPerson = `mutation { insert_app_one(object: {name: "Mine", team_id: "${owner.team}"}) { id } }`
  await owner.graphql(byPerson)
  await asKey('mutation { insert_app_one(object: {name: "Ours"}) { id } }')
  const { rows } = await platform.db.query(
    `select team_id, actor_role, actor_id from audit
    where subject = 'app' and operation = 'insert' and changes -> 'name' ->> 'new' in ('Mine', 'Ours')
    order by created_at`,
  )
  expect(rows).toEqual([
    { team_id: owner.team, actor_role: 'user', actor_id: owner.id },
    { team_id: team.id, actor_role: 'api_key', actor_id: team.keyId },
  ])
})

test('the audit trail records that the operator verified an app, and that a new name undid it', async () => {
  await platform.engine.graphql(
    `mutation { update_app_by_pk(pk_columns: {id: "${app}"}, _set: {is_verified: true}) { id } }`,
    {},
    { 'x-hasura-role': 'reviewer' },
  )
  await owner.graphql(
    `mutation { update_app_by_pk(pk_columns: {id: "${app}"}, _set: {name: "Another"}) { id } }`,
  )
  expect((await trailOf(app)).slice(1)).toEqual([
    {
      actor_role: 'reviewer',
      actor_id: null,
      operation: 'update',
      changes: { is_verified: { old: false, new: true } },
    },
    {
      actor_role: 'user',
      actor_id: owner.id,
      operation: 'update',
      changes: { is_verified: { old: true, new: false }, name: { old: 'App', new: 'Another' } },
    },
  ])
})

test('the audit trail names the user who resets the sign-in secret of an app', async () => {
  await owner.graphql(`mutation { reset_client_secret(app_id: "${app}") { client_secret } }`)
  await owner.graphql(`mutation { reset_client_secret(app_id: "${app}") { client_secret } }`)
  const { data } = await owner.graphql(
    '{ audit(where: {subject: {_eq: "sign_in_client"}}, order_by: [{created_at: asc}]) { actor_id operation changes } }',
  )
  expect(data.audit).toEqual([
    {
      actor_id: owner.id,
      operation: 'insert',
      changes: { application_type: { new: 'web' }, secret: { changed: true } },
    },
    { actor_id: owner.id, operation: 'update', changes: { secret: { changed: true } } },
  ])
})

test('the audit trail names the role database for a direct change, and cannot be changed', async () => {
  await platform.db.query("update app set status = 'inactive' where id = $1", [app])
  expect((await trailOf(app)).at(-1)).toMatchObject({ actor_role: 'database', actor_id: null })
  await expect(platform.db.query("update audit set actor_id = 'x'")).rejects.toMatchObject({
    code: '23000',
  })
})

test('the audit trail ignores updates that change no audited column', async () => {
  const rowCount = (await trailOf(app)).length
  await platform.db.query(
    "update app set logo_url = 'https://example.com/logo.png' where id = $1",
    [app],
  )
  await platform.db.query('update app set name = name where id = $1', [app])
  expect(await trailOf(app)).toHaveLength(rowCount)
})

async function trailOf(subject: string) {
  const { data } = await owner.graphql(
    `{ audit(where: {subject_id: {_eq: "${subject}"}}, order_by: [{created_at: asc}]) { actor_role actor_id operation changes } }`,
  )
  return data.audit
}
