import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { findTablesWith } from '../support/operations/find-text.ts'
import { createOperator, type Operator } from '../support/operations/operator-commands.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { type Person, peopleOf } from '../support/webhooks/people.ts'
import { ADMIN_SECRET } from '../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// The effects of the operator's tasks (docs/operations/tasks.md) on callers of the developer API.

const ROOT = 4711n

let platform: TestPlatform
let operator: Operator
let owner: Person
let app: string
let action: string
let key: { id: string; api_key: string }
let people = 0n

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({ WEBHOOKS_URL: baseUrl }))
  operator = await createOperator({ url: platform.engine.url, adminSecret: ADMIN_SECRET })
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
})
afterAll(() => platform.stop())
beforeEach(async () => {
  owner = await peopleOf(platform)()
  app = await platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  action = await platform.action(app)
  key = (await owner.graphql(createKey())).data.create_api_key
})

describe('a block stops the keys and apps of a team', () => {
  test('a blocked team gets 401 with its API keys and 404 at verify, and its users can log in and read', async () => {
    expect(await verifyNewPerson()).toBe(200)
    expect(await readWithKey()).toBe(200)
    await operator.run('block-team', { TEAM: owner.team, REASON: 'A test' })
    expect(await readWithKey()).toBe(401)
    expect(await verifyNewPerson()).toBe(404)
    const account = { email: owner.email, password: 'difference' }
    expect(await platform.post('/api/v1/login', account)).toMatchObject({ status: 200 })
    const { data } = await owner.graphql('{ team { id blocked_at } nullifier { uses } }')
    expect(data).toEqual({
      team: [{ id: owner.team, blocked_at: expect.any(String) }],
      nullifier: [{ uses: 1 }],
    })
  })

  test('a blocked team gets team_blocked when it creates a key, invites, or adopts a client', async () => {
    await operator.run('block-team', { TEAM: owner.team, REASON: 'A test' })
    await platform.db.query(
      `select register_client('Shop', '[]', 'web', '["code"]', repeat('0', 64), encode(sha256('token'), 'hex'))`,
    )
    const { rows } = await platform.db.query(
      'select app_id from sign_in_client where registration_token_hash is not null',
    )
    for (const mutation of [
      createKey(),
      `mutation { invite_team_members(team_id: "${owner.team}", emails: ["guest@example.com"]) { emails } }`,
      `mutation { claim_client(team_id: "${owner.team}", client_id: "${rows[0].app_id}", registration_access_token: "token") { client_id } }`,
    ])
      expect((await owner.graphql(mutation)).errors).toMatchObject([
        {
          message: 'This team is blocked: contact the operator.',
          extensions: { code: 'team_blocked' },
        },
      ])
    const { rowCount } = await platform.db.query('select from invite where team_id = $1', [
      owner.team,
    ])
    expect(rowCount).toBe(0)
  })

  test('a team works again once the operator has unblocked it and an owner has activated key and app', async () => {
    await operator.run('block-team', { TEAM: owner.team, REASON: 'A test' })
    await operator.run('unblock-team', { TEAM: owner.team })
    expect(await readWithKey()).toBe(401)
    expect(await verifyNewPerson()).toBe(404)
    await owner.graphql(
      `mutation {
        update_api_key(where: {}, _set: {is_active: true}) { affected_rows }
        update_app(where: {}, _set: {is_archived: false}) { affected_rows }
      }`,
    )
    expect(await readWithKey()).toBe(200)
    expect(await verifyNewPerson()).toBe(200)
  })
})

test('an API key that the operator has blocked gets 401 like a revoked key', async () => {
  expect(await readWithKey()).toBe(200)
  await operator.run('block-key', { KEY: key.id })
  const { status, body } = await platform.post(
    '/v1/graphql',
    { query: '{ app { id } }' },
    { authorization: `Bearer ${key.api_key}` },
  )
  expect(status).toBe(401)
  expect(JSON.stringify(body)).toContain('This API key has been revoked.')
})

test('after delete-person no table contains the nullifier, and the person can verify again', async () => {
  const request = await newRequest()
  const retryKey = { 'idempotency-key': crypto.randomUUID() }
  const verify = () => platform.post(`/api/v2/verify/${app}`, request, retryKey)
  const { status, body } = await verify()
  expect(status).toBe(200)
  const hash = String(Object(body).nullifier_hash)
  expect(await findTablesWith(platform.db, hash.slice(2))).toEqual(['counted_request', 'nullifier'])

  const { data } = await operator.run('delete-person', { NULLIFIER_HASH: hash })
  expect(data.delete_person).toEqual([
    {
      subject_id: action,
      team_id: owner.team,
      changes: { uses: { old: 1 }, counted_requests: { old: 1 } },
    },
  ])
  expect(await findTablesWith(platform.db, hash.slice(2))).toEqual([])
  expect(await verify()).toMatchObject({ status: 200, body: { uses: 1 } })
  const { data: audit } = await owner.graphql(
    '{ audit(where: {subject: {_eq: "person"}}) { actor_role operation subject_id } }',
  )
  expect(audit.audit).toEqual([{ actor_role: 'reviewer', operation: 'delete', subject_id: action }])
})

test('delete-user ends the sessions of the user, and mails the other owners nothing', async () => {
  const guest = await peopleOf(platform)()
  await platform.db.query(
    "insert into membership (user_id, team_id, role) values ($1, $2, 'OWNER')",
    [guest.id, owner.team],
  )
  await operator.run('delete-user', { USER_ID: guest.id })
  expect((await guest.graphql('{ user { id } }')).errors).toHaveLength(1)
  const { rows } = await platform.db.query(
    `select
      (select count(*)::int from mail where user_id = $1 and kind <> 'verify_email') as mails,
      (select deleted_at is not null from team where id = $2) as is_closed`,
    [owner.id, guest.team],
  )
  expect(rows).toEqual([{ mails: 0, is_closed: true }])
  expect(await findTablesWith(platform.db, guest.email)).toEqual([])
})

function createKey() {
  return `mutation { create_api_key(team_id: "${owner.team}", name: "Server") { id api_key } }`
}

async function readWithKey(): Promise<number> {
  const headers = { authorization: `Bearer ${key.api_key}` }
  return (await platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)).status
}

function newRequest() {
  people += 1n
  return forgeRequest({ app, action: 'vote', root: ROOT, nullifier: 1_000_000n + people })
}

async function verifyNewPerson(): Promise<number> {
  return (await platform.post(`/api/v2/verify/${app}`, await newRequest())).status
}
