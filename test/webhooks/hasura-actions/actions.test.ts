import { readFileSync } from 'node:fs'
import { Kind, parse as parseGraphQL } from 'graphql'
import { load } from 'js-yaml'
import { beforeEach, describe, expect } from 'vitest'
import { z } from 'zod'
import { hashSecret } from '../../../lib/secrets/secret.ts'
import { hasuraActions } from '../../../webhooks/hasura-actions/actions.ts'
import { callAction, type Person, peopleOf, whileDeleting } from '../../support/webhooks/people.ts'
import { CLIENT_SECRET_PEPPER } from '../../support/webhooks/platform-environment.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let person: ReturnType<typeof peopleOf>
let owner: Person
let stranger: Person

test.beforeAll(async ({ platformWithActions: shared }) => {
  platform = shared
  person = peopleOf(platform)
})
beforeEach(async () => {
  owner = await person()
  stranger = await person()
})

test('every action of the metadata has a handler, and every handler an action', () => {
  const metadata = z
    .object({ actions: z.array(z.object({ name: z.string() })) })
    .parse(load(readFileSync('hasura/metadata/actions.yaml', 'utf8')))
  const names = metadata.actions.map(({ name }) => name)
  expect(Object.keys(hasuraActions).toSorted()).toEqual(names.toSorted())
  const { definitions } = parseGraphQL(readFileSync('hasura/metadata/actions.graphql', 'utf8'))
  const fields = definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION && ['Mutation', 'Query'].includes(node.name.value)
      ? (node.fields ?? []).map((field) => field.name.value)
      : [],
  )
  expect(fields.toSorted()).toEqual(names.toSorted())
})

describe('the handler', () => {
  test.each([
    ['no secret', {}],
    ['a wrong one', { authorization: 'Bearer guess' }],
  ])('refuses who has %s', async (_name, headers) => {
    const reply = await platform.post(
      '/hasura/actions',
      { action: { name: 'create_team' } },
      headers,
    )
    expect(reply).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
  })

  test.each(Object.keys(hasuraActions))('refuses %s without a user', async (name) => {
    const admin = { 'x-hasura-role': 'admin' }
    expect(await callAction(platform, name, {}, admin)).toMatchObject({
      status: 400,
      body: { message: 'Only a user may do this.', extensions: { code: 'unauthenticated' } },
    })
  })

  test('does not know what Hasura does not name', async () => {
    for (const name of ['nonsense', '__proto__', 'constructor'])
      expect(await callAction(platform, name, {}, session(owner))).toMatchObject({
        status: 400,
        body: { extensions: { code: 'not_found' } },
      })
  })
})

test('an API key has only the actions that concern a team', async () => {
  const team = await platform.team()
  const headers = { authorization: `Bearer ${team.apiKey}` }
  const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }'
  const { body } = await platform.post('/v1/graphql', { query }, headers)
  const names = [...JSON.stringify(body).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name ?? '')
  expect(names.filter((name) => name in hasuraActions).toSorted()).toEqual([
    'action_stats',
    'check_proof',
    'claim_client',
    'invite_team_members',
    'reset_client_secret',
  ])
})

test.each(
  Object.keys(hasuraActions).filter(
    (name) => !/stats|check_proof|claim_client|invite_team|client_secret/.test(name),
  ),
)('the handler refuses %s to an API key, whatever Hasura lets through', async (name) => {
  const team = await platform.team()
  const input = {
    name: 'x',
    team_id: team.id,
    id: team.keyId,
    token: 'x',
    password: 'difference',
    email: 'a@example.com',
    current_password: 'difference',
    new_password: 'indifference',
  }
  expect(await callAction(platform, name, input, keySession(team))).toMatchObject({
    status: 400,
    body: { message: 'Only a user may do this.', extensions: { code: 'unauthenticated' } },
  })
})

describe('create_team', () => {
  test('waits for an account that is being deleted, and then makes no team', async () => {
    const create = () => callAction(platform, 'create_team', { name: 'Of nobody' }, session(owner))
    expect(await whileDeleting(platform, owner, create)).toMatchObject({
      status: 400,
      body: { message: 'Only a user may do this.', extensions: { code: 'unauthenticated' } },
    })
    const { rows } = await platform.db.query("select from team where name = 'Of nobody'")
    expect(rows).toEqual([])
  })

  test('makes a team that its maker owns, and nobody else sees', async () => {
    const made = await owner.graphql('mutation { create_team(name: " Second ") { team_id } }')
    const id = made.data.create_team.team_id
    expect(id).toMatch(/^team_[0-9a-f]{32}$/)
    const query = '{ team(where: {id: {_eq: "$ID"}}) { name memberships { role user { id } } } }'
    const answer = await owner.graphql(query.replace('$ID', id))
    expect(answer.data.team).toEqual([
      { name: 'Second', memberships: [{ role: 'OWNER', user: { id: owner.id } }] },
    ])
    expect((await stranger.graphql(query.replace('$ID', id))).data.team).toEqual([])
  })

  test.each(['', '   ', 'x'.repeat(129), 'line\nend'])(
    'refuses the name %j, saying why',
    async (name) => {
      const query = 'mutation ($name: String!) { create_team(name: $name) { team_id } }'
      expect((await owner.graphql(query, { name })).errors).toEqual([
        {
          message: expect.stringMatching(/^name: Must be 1 to 128 characters/),
          extensions: { code: 'validation_error' },
        },
      ])
    },
  )
})

test('the longest document that GraphQL accepts runs its action, although Hasura repeats it to the handler', async () => {
  const comment = `#${'x'.repeat(49_900)}\n`
  const made = await owner.graphql(`mutation { ${comment} create_team(name: "Long") { team_id } }`)
  expect(made.data.create_team.team_id).toMatch(/^team_/)
})

describe('an API key', () => {
  test('is made by an owner, shown once, and works', async () => {
    const { id, api_key } = await makeKey()
    expect(await teamsOf(api_key)).toEqual({ data: { team: [{ id: owner.team }] } })
    const { rows } = await platform.db.query(
      'select secret_hash, api_key.*::text as row from api_key where id = $1',
      [id],
    )
    const secret = Buffer.from(api_key.slice(4), 'base64url').toString().split(':')[1]
    expect(rows[0].row).not.toContain(secret)
    const seen = await owner.graphql('{ api_key { id name is_active } }')
    expect(seen.data.api_key).toEqual([{ id, name: 'Key', is_active: true }])
  })

  test('has another secret once it is reset, and the one before is dead', async () => {
    const { id, api_key } = await makeKey()
    const answer = await owner.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
    const again = answer.data.reset_api_key.api_key
    expect(again).not.toBe(api_key)
    expect(await teamsOf(again)).toEqual({ data: { team: [{ id: owner.team }] } })
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
  })

  test('is revoked by an owner, at once, and a reset does not wake it', async () => {
    const { id, api_key } = await makeKey()
    const revoke = `mutation { update_api_key_by_pk(pk_columns: {id: "${id}"}, _set: {is_active: false}) { is_active } }`
    expect((await owner.graphql(revoke)).data.update_api_key_by_pk).toEqual({ is_active: false })
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
    const reset = await owner.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
    expect(codeOf(reset)).toBe('permission_denied')
  })

  test.each(['ADMIN', 'MEMBER', null])('is neither made nor reset by %s', async (role) => {
    const { id } = await makeKey()
    if (role) await join(stranger, owner.team, role)
    expect(codeOf(await createKey(stranger, owner.team))).toBe('permission_denied')
    const reset = await stranger.graphql(`mutation { reset_api_key(id: "${id}") { api_key } }`)
    expect(codeOf(reset)).toBe('permission_denied')
  })

  test.each(['team_none', "' or true --", '\u0000'])(
    'is not made for the team %j',
    async (team) => {
      expect(codeOf(await createKey(owner, team))).toMatch(/permission_denied|validation_error/)
    },
  )
})

describe('reset_client_secret', () => {
  test.each(['OWNER', 'ADMIN'])('gives an app of a team to its %s', async (role) => {
    const app = await makeApp(owner.team)
    if (role !== 'OWNER') await join(stranger, owner.team, role)
    const caller = role === 'OWNER' ? owner : stranger
    const answer = await resetSecret(caller, app)
    const secret = answer.data.reset_client_secret.client_secret
    expect(secret).toMatch(/^sk_[0-9a-f]{48}$/)
    const { rows } = await platform.db.query(
      'select secret_hash from sign_in_client where app_id = $1',
      [app],
    )
    const hash = hashSecret([CLIENT_SECRET_PEPPER], secret)
    expect(rows).toEqual([{ secret_hash: hash }])
  })

  test.each(['MEMBER', null])('refuses a %s', async (role) => {
    const app = await makeApp(owner.team)
    if (role) await join(stranger, owner.team, role)
    expect(codeOf(await resetSecret(stranger, app))).toBe('permission_denied')
  })

  test('gives an app of a team to its API key, with which people can then sign in', async () => {
    const team = await platform.team()
    const app = await platform.app({ team })
    const query = 'mutation ($app: String!) { reset_client_secret(app_id: $app) { client_secret } }'
    const { body } = await keyRequest(team, query, { app })
    const secret = Object(body).data.reset_client_secret.client_secret
    const { rows } = await platform.db.query(
      `select secret_hash, actor_role, actor_id, audit.team_id from sign_in_client
      join audit on subject = 'sign_in_client' and subject_id = app_id where app_id = $1`,
      [app],
    )
    const secret_hash = hashSecret([CLIENT_SECRET_PEPPER], secret)
    const by = { actor_role: 'api_key', actor_id: team.keyId, team_id: team.id }
    expect(rows).toEqual([{ secret_hash, ...by }])
    const foreign = await makeApp(owner.team)
    const refused = await keyRequest(team, query, { app: foreign })
    expect(codeOf(Object(refused.body))).toBe('permission_denied')
  })

  test('refuses a key that was revoked while the request was under way', async () => {
    const team = await platform.team()
    const app_id = await platform.app({ team })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    for (const [name, input] of [
      ['reset_client_secret', { app_id }],
      ['invite_team_members', { team_id: team.id, emails: ['guest@example.com'] }],
    ] as const) {
      const { body } = await callAction(platform, name, input, keySession(team))
      if (name === 'invite_team_members') expect(body).toEqual({ emails: [] })
      else expect(body).toMatchObject({ extensions: { code: 'permission_denied' } })
    }
    const { rows } = await platform.db.query('select from invite where team_id = $1', [team.id])
    expect(rows).toEqual([])
  })

  test('refuses an archived app', async () => {
    const app = await makeApp(owner.team)
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(codeOf(await resetSecret(owner, app))).toBe('permission_denied')
  })
})

describe('delete_account', () => {
  const DELETE = 'mutation { delete_account { success } }'

  test('deletes the account, and teams without other members', async () => {
    const { api_key } = await makeKey()
    const app = await makeApp(owner.team)
    expect(await owner.graphql(DELETE)).toEqual({ data: { delete_account: { success: true } } })
    expect((await owner.graphql('{ user { id } }')).errors[0].extensions.code).toBe('access-denied')
    expect(await teamsOf(api_key)).toMatchObject({ errors: [{}] })
    const { rows } = await platform.db.query(
      `select is_archived, deleted_at is not null as deleted,
        (select count(*)::int from "user" where id = $2) as people
      from app join team on team.id = team_id where app.id = $1`,
      [app, owner.id],
    )
    expect(rows).toEqual([{ is_archived: true, deleted: true, people: 0 }])
  })

  test('is refused to the last owner of a team with others in it', async () => {
    await join(stranger, owner.team, 'ADMIN')
    expect(codeOf(await owner.graphql(DELETE))).toBe('last_owner')
    await platform.db.query(
      "update membership set role = 'OWNER' where user_id = $1 and team_id = $2",
      [stranger.id, owner.team],
    )
    expect(await owner.graphql(DELETE)).toEqual({ data: { delete_account: { success: true } } })
    const { data } = await stranger.graphql(`{ team(where: {id: {_eq: "${owner.team}"}}) { id } }`)
    expect(data.team).toEqual([{ id: owner.team }])
  })

  test('leaves no key that was asked for in the same moment', async () => {
    const answer = await whileDeleting(platform, owner, () => createKey(owner, owner.team))
    expect(codeOf(answer)).toBe('permission_denied')
    const { rows } = await platform.db.query(
      'select from api_key where team_id = $1 and is_active',
      [owner.team],
    )
    expect(rows).toEqual([])
  })

  test('asked for twice at one time is done for both', async () => {
    const deleteAgain = () => owner.graphql(DELETE)
    const again = await whileDeleting(platform, owner, deleteAgain, 'delete_account')
    expect(again).toEqual({ data: { delete_account: { success: true } } })
  })

  test('of two owners at one time leaves one of them', async () => {
    const third = await person()
    await join(third, owner.team, 'MEMBER')
    await join(stranger, owner.team, 'OWNER')
    const answers = await Promise.all([owner, stranger].map((each) => each.graphql(DELETE)))
    expect(answers.map((answer) => codeOf(answer) ?? 'done').toSorted()).toEqual([
      'done',
      'last_owner',
    ])
  })
})

function session(of: Person) {
  return { 'x-hasura-role': 'user', 'x-hasura-user-id': of.id }
}

/** The session that Hasura has for a team's API key. */
function keySession({ id, keyId }: { id: string; keyId: string }) {
  return { 'x-hasura-role': 'api_key', 'x-hasura-team-id': id, 'x-hasura-api-key-id': keyId }
}

async function keyRequest({ apiKey }: { apiKey: string }, query: string, variables: object) {
  return platform.post('/v1/graphql', { query, variables }, { authorization: `Bearer ${apiKey}` })
}

function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}

async function createKey(caller: Person, team: string) {
  const query =
    'mutation ($team: String!) { create_api_key(team_id: $team, name: "Key") { id api_key } }'
  return caller.graphql(query, { team })
}

async function makeKey() {
  return (await createKey(owner, owner.team)).data.create_api_key
}

async function teamsOf(apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return (await platform.post('/v1/graphql', { query: '{ team { id } }' }, headers)).body
}

async function resetSecret(caller: Person, app: string) {
  const query = 'mutation ($app: String!) { reset_client_secret(app_id: $app) { client_secret } }'
  return caller.graphql(query, { app })
}

async function makeApp(team: string) {
  return platform.app({ team: { id: team, apiKey: '', keyId: '' } })
}

async function join({ id }: Person, team: string, role: string) {
  const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
  await platform.db.query(insert, [id, team, role])
}
