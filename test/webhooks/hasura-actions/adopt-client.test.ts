import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashSecret, hashToken } from '../../../lib/runtime/secrets/secret.ts'
import { callAction, type Person, peopleOf } from '../../support/webhooks/people.ts'
import { CLIENT_SECRET_PEPPER } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const REDIRECTS = ['https://rp.example/callback', 'https://rp.example/other']
const SECRET_HASH = 'a'.repeat(64)

let platform: TestPlatform
let person: ReturnType<typeof peopleOf>
let owner: Person
let token: string
let client: string

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  person = peopleOf(platform)
})
afterAll(() => platform.stop())
beforeEach(async () => {
  owner = await person()
  token = crypto.randomUUID()
  client = await register(SECRET_HASH)
})

/** Stores a client as `/register` does. A client without a secret is public. */
async function register(secretHash: string | null): Promise<string> {
  const { rows } = await platform.db.query(
    `select app_id from register_client('Shop', $1, 'web', '["code"]', $2, $3)`,
    [JSON.stringify(REDIRECTS), secretHash, hashToken(token)],
  )
  return rows[0].app_id
}

const ADOPT = `mutation ($team: String!, $client: String!, $token: String!) {
  claim_client(team_id: $team, client_id: $client, registration_access_token: $token) {
    client_id client_secret
  }
}`

const adopt = (caller: Person, changes: Record<string, string> = {}) =>
  caller.graphql(ADOPT, { team: owner.team, client, token, ...changes })

async function adoptWithKey(team: { apiKey: string }, into: string) {
  const { body } = await platform.post(
    '/v1/graphql',
    { query: ADOPT, variables: { team: into, client, token } },
    { authorization: `Bearer ${team.apiKey}` },
  )
  return Object(body)
}

/** Calls the action with a session of a key that was revoked after Hasura had authenticated it. */
async function adoptWithRevokedKey() {
  const { id, keyId } = await platform.team()
  await platform.db.query('update api_key set is_active = false where id = $1', [keyId])
  const input = { team_id: id, client_id: client, registration_access_token: token }
  const session = {
    'x-hasura-role': 'api_key',
    'x-hasura-team-id': id,
    'x-hasura-api-key-id': keyId,
  }
  const { body } = await callAction(platform, 'claim_client', input, session)
  return { errors: [Object(body)] }
}

const codeOf = (answer: { errors?: { extensions: { code: string } }[] }) =>
  answer.errors?.[0]?.extensions.code

async function rowsOf(appId: string) {
  const { rows } = await platform.db.query(
    `select app.name, app.team_id, is_staging, secret_hash, is_public, response_types, registered_at,
      registration_token_hash, array(select redirect_uri from redirect where app_id = app.id order by 1) as redirects
    from app join sign_in_client on app_id = app.id where app.id = $1`,
    [appId],
  )
  return rows
}

test.each(['OWNER', 'ADMIN'])(
  'an %s of a team adopts a client, and gets a production client',
  async (role) => {
    const { rows: before } = await platform.db.query('select team_id from app where id = $1', [
      client,
    ])
    const caller = role === 'OWNER' ? owner : await person()
    if (role !== 'OWNER') await join(caller, role)
    const { client_id, client_secret } = (await adopt(caller)).data.claim_client
    expect(client_id).toMatch(/^app_[0-9a-f]{32}$/)
    const sharedFields = {
      name: 'Shop',
      team_id: owner.team,
      redirects: REDIRECTS,
      response_types: ['code'],
    }
    const adoptedFields = {
      ...sharedFields,
      is_public: false,
      registered_at: null,
      registration_token_hash: null,
    }
    expect(await rowsOf(client)).toEqual([
      { ...adoptedFields, is_staging: true, secret_hash: SECRET_HASH },
    ])
    const secret_hash = hashSecret([CLIENT_SECRET_PEPPER], client_secret)
    expect(await rowsOf(client_id)).toEqual([{ ...adoptedFields, is_staging: false, secret_hash }])
    // The team that registration created for the client is gone.
    const { rows: after } = await platform.db.query('select from team where id = $1', [
      before[0].team_id,
    ])
    expect(after).toEqual([])
  },
)

test('an API key adopts a client into its team, and the audit trail names the key', async () => {
  const team = await platform.team()
  const answer = await adoptWithKey(team, team.id)
  const { client_id } = answer.data.claim_client
  expect(await rowsOf(client)).toMatchObject([{ team_id: team.id, registration_token_hash: null }])
  expect(await rowsOf(client_id)).toMatchObject([{ team_id: team.id, is_staging: false }])
  const { rows } = await platform.db.query(
    "select actor_role, actor_id from audit where subject = 'app' and subject_id = $1 and operation = 'update'",
    [client],
  )
  expect(rows).toEqual([{ actor_role: 'api_key', actor_id: team.keyId }])
})

test('the adoption of a public client creates a public client without a secret', async () => {
  token = crypto.randomUUID()
  client = await register(null)
  const { client_id, client_secret } = (await adopt(owner)).data.claim_client
  expect(client_secret).toBeNull()
  expect(await rowsOf(client_id)).toMatchObject([{ is_public: true, secret_hash: null }])
})

test('one of two simultaneous adoptions succeeds, and the token works once', async () => {
  const rival = await person()
  const answers = await Promise.all([adopt(owner), adopt(rival, { team: rival.team })])
  expect(answers.map(codeOf).toSorted()).toEqual(['permission_denied', undefined])
  expect(codeOf(await adopt(owner))).toBe('permission_denied')
  const { rows } = await platform.db.query(
    'select count(*)::int from app where team_id = any ($1)',
    [[owner.team, rival.team]],
  )
  expect(rows).toEqual([{ count: 2 }])
})

test('the audit trail of the team names the user who adopted a client', async () => {
  await adopt(owner)
  const { data } = await owner.graphql(
    '{ audit(where: {subject: {_in: ["app", "sign_in_client"]}}, order_by: [{created_at: asc}, {id: asc}]) { actor_id operation subject subject_id changes } }',
  )
  expect(data.audit).toContainEqual({
    actor_id: owner.id,
    operation: 'update',
    subject: 'app',
    subject_id: client,
    changes: { team_id: { old: expect.stringMatching(/^team_/), new: owner.team } },
  })
  expect(JSON.stringify(data.audit)).not.toContain(hashToken(token))
})

describe('a client cannot be moved into a team without permission', () => {
  const FOREIGN = 'team_00000000000000000000000000000000'
  test.each<[string, () => Promise<{ errors?: { extensions: { code: string } }[] }>]>([
    ['a wrong token', () => adopt(owner, { token: 'guess' })],
    ['the hash of the token', () => adopt(owner, { token: hashToken(token) })],
    ['an unknown client', () => adopt(owner, { client: 'app_staging_1' })],
    ['a team that does not exist', () => adopt(owner, { team: FOREIGN })],
    ['a caller outside the team', async () => adopt(await person())],
    ['a caller who is only a member', async () => adopt(await join(await person(), 'MEMBER'))],
    ['an API key of another team', async () => adoptWithKey(await platform.team(), owner.team)],
    ['an API key that was revoked during the request', adoptWithRevokedKey],
    ['an archived client', () => archive().then(() => adopt(owner))],
  ])('an adoption with %s is rejected and changes nothing', async (_name, attempt) => {
    expect(codeOf(await attempt())).toBe('permission_denied')
    const [row] = await rowsOf(client)
    expect(row).toMatchObject({ registration_token_hash: hashToken(token) })
    expect(row.team_id).not.toBe(owner.team)
    expect(await appsOf(owner)).toEqual([])
  })

  test('an adoption into a team with the most apps it may have is rejected', async () => {
    await platform.db.query("update quota set most = 1 where kind = 'app'")
    try {
      expect((await adopt(owner)).errors[0].message).toMatch(/at most 1 apps/)
      expect(await appsOf(owner)).toEqual([])
    } finally {
      await platform.db.query("update quota set most = 200 where kind = 'app'")
    }
  })

  test('an update cannot move an app to another team', async () => {
    await adopt(owner)
    const move = platform.db.query('update app set team_id = $2 where id = $1', [client, FOREIGN])
    await expect(move).rejects.toMatchObject({ code: '23000' })
  })
})

async function join(member: Person, role: string): Promise<Person> {
  await platform.db.query('insert into membership (team_id, user_id, role) values ($1, $2, $3)', [
    owner.team,
    member.id,
    role,
  ])
  return member
}

const archive = () => platform.db.query('update app set is_archived = true where id = $1', [client])

async function appsOf({ team }: Person) {
  return (await platform.db.query('select id from app where team_id = $1', [team])).rows
}
