import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, vi } from 'vitest'
import { z } from 'zod'
import { ADMIN_SECRET } from '../../support/webhooks/platform-environment.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let mine: Awaited<ReturnType<TestPlatform['team']>>
let theirs: typeof mine
let myApp: string
let theirApp: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  mine = await platform.team()
  theirs = await platform.team()
  myApp = await platform.app({ team: mine })
  theirApp = await platform.app({ team: theirs })
  for (const app of [myApp, theirApp]) {
    const action = await platform.action(app)
    await platform.db.query("select from record_nullifier($1, '0x' || repeat('0', 64))", [action])
  }
})

describe('with an API key', () => {
  test('a team lists its apps, and only its own', async () => {
    expect(await graphql('{ app { id name } }')).toEqual({
      data: { app: [{ id: myApp, name: 'App' }] },
    })
  })

  test('a team reads an action with its nullifiers, in one operation', async () => {
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

  test('a team makes an app and an action, and changes its status', async () => {
    const made = await graphql(
      'mutation { insert_app_one(object: {name: "New", is_staging: true}) { id team_id actions { action } } }',
    )
    expect(made.data.insert_app_one).toEqual({
      id: expect.stringMatching(/^app_staging_[0-9a-f]{32}$/),
      team_id: mine.id,
      actions: [{ action: '' }],
    })
    const action = await graphql(
      `mutation { insert_action_one(object: {app_id: "${made.data.insert_app_one.id}", action: "a"}) { id max_verifications } }`,
    )
    expect(action.data.insert_action_one.max_verifications).toBe(1)
    const changed = await graphql(
      `mutation { update_action_by_pk(pk_columns: {id: "${action.data.insert_action_one.id}"}, _set: {status: "inactive"}) { status } }`,
    )
    expect(changed.data.update_action_by_pk).toEqual({ status: 'inactive' })
  })

  test.each([
    ['its app', 'update_app(where: {id: {_eq: "$APP"}}, _set: {name: "Mine"}) { affected_rows }'],
    [
      'its actions',
      'update_action(where: {app_id: {_eq: "$APP"}}, _set: {name: "x"}) { affected_rows }',
    ],
    ['its actions by deleting', 'delete_action(where: {app_id: {_eq: "$APP"}}) { affected_rows }'],
  ])("another team's key does not change %s", async (_name, operation) => {
    const answer = await graphql(`mutation { ${operation.replace('$APP', theirApp)} }`)
    expect(Object.values(answer.data)).toEqual([{ affected_rows: 0 }])
  })

  test("nothing is inserted into another team's app", async () => {
    const answer = await graphql(
      `mutation { insert_action_one(object: {app_id: "${theirApp}", action: "b"}) { id } }`,
    )
    expect(answer.errors[0].extensions.code).toBe('permission-error')
  })

  test('the sign-in action is not deleted', async () => {
    const answer = await graphql(
      `mutation { delete_action(where: {app_id: {_eq: "${myApp}"}, action: {_eq: ""}}) { affected_rows } }`,
    )
    expect(answer.data.delete_action.affected_rows).toBe(0)
  })

  test.each([
    ['a hash', '{ api_key { secret_hash } }'],
    ['a key', '{ jwks { id } }'],
    ['the cache', '{ cache { value } }'],
    ['a password', '{ user { password_hash } }'],
    [
      'counting',
      'mutation { record_nullifier(args: {action_id: "a", nullifier_hash: "b"}) { id } }',
    ],
    [
      'team_id of an app',
      `mutation { update_app(where: {}, _set: {team_id: "x"}) { affected_rows } }`,
    ],
    [
      'is_verified',
      'mutation { update_app(where: {}, _set: {is_verified: true}) { affected_rows } }',
    ],
    [
      'an external nullifier',
      'mutation { update_action(where: {}, _set: {external_nullifier: "x"}) { affected_rows } }',
    ],
    ['an id of its own', 'mutation { insert_app_one(object: {id: "app_x", name: "x"}) { id } }'],
  ])('%s is not in the schema', async (_name, query) => {
    expect((await graphql(query)).errors[0].extensions.code).toBe('validation-failed')
  })

  test('a key is dead the moment it is revoked', async () => {
    const team = await platform.team()
    expect(await graphql('{ team { id } }', team)).toEqual({ data: { team: [{ id: team.id }] } })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    expect((await graphql('{ team { id } }', team)).errors[0].extensions.code).toBe('access-denied')
  })
})

describe('without a right key', () => {
  test.each([
    ['none', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['a malformed one', { authorization: 'Bearer api_nonsense' }],
    ['an unknown one', { authorization: `Bearer api_${encode(`key_${'0'.repeat(32)}:secret`)}` }],
    ['the admin secret', { 'x-hasura-admin-secret': ADMIN_SECRET }],
    ['the admin secret as a bearer', { authorization: `Bearer ${ADMIN_SECRET}` }],
    ['a role of its own', { 'x-hasura-role': 'admin', 'x-hasura-team-id': 'team_1' }],
  ])('%s is 401, in the shape of GraphQL', async (_name, headers) => {
    const reply = await platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)
    expect(reply).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { path: '$', code: 'access-denied' } }] },
    })
  })

  test('a wrong secret of a known key is 401', async () => {
    const authorization = `Bearer api_${encode(`${mine.keyId}:guess`)}`
    const reply = await platform.post('/v1/graphql', { query: '{ app { id } }' }, { authorization })
    expect(reply.status).toBe(401)
  })
})

test("a caller's own session variables are ignored", async () => {
  const reply = await platform.post(
    '/v1/graphql',
    { query: '{ team { id } }' },
    {
      authorization: `Bearer ${mine.apiKey}`,
      'x-hasura-team-id': theirs.id,
      'x-hasura-role': 'service',
      'x-hasura-admin-secret': ADMIN_SECRET,
    },
  )
  expect(reply.body).toEqual({ data: { team: [{ id: mine.id }] } })
})

describe('a request', () => {
  test('of as many bytes as are allowed is answered, though the auth hook is posted all of it', async () => {
    const reply = await platform.post('/v1/graphql', ofBytes(1_000_000), asTeam())
    expect(reply.body).toEqual({ data: { app: [] } })
  })

  test('of a byte more is refused', async () => {
    const reply = await platform.post('/v1/graphql', ofBytes(1_000_001), asTeam())
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/graphql',
    'application/json; charset=utf-16',
  ])('of type %s is refused like every other that is not JSON', async (type) => {
    const body = { query: '{ app { id } }' }
    const reply = await platform.post('/v1/graphql', body, { ...asTeam(), 'content-type': type })
    const error = { code: 'invalid_content_type', attribute: 'content-type' }
    expect(reply).toMatchObject({ status: 415, body: error })
  })
})

describe('what costs too much is refused before Hasura sees it', () => {
  const deep = `{app{${'team{apps{'.repeat(8)}id${'}}'.repeat(8)}}}`
  const repeated = `{app{id}} ${Array.from({ length: 50_000 }, () => '#').join('')}`
  const endless = `{app(where:${'{_and:['.repeat(5_000)}${']}'.repeat(5_000)}){id}}`
  const twice = '{"query":"{team{id}}","query":"{app{id}}","variables":{}}'

  test.each<[string, unknown, string]>([
    ['a document that is too deep', { query: deep }, 'nested too deeply'],
    ['one that is too long', { query: repeated }, 'too many bytes'],
    ['too many values', { query: '{app{id}}', variables: { v: Array(10_001).fill(1) } }, 'values'],
    [
      'too many conditions on relations, in a variable that is used twice',
      {
        query: 'query($w: app_bool_exp!){a:app(where:$w){id} b:app(where:{_not:$w}){id}}',
        variables: {
          w: { _or: Array(126).fill({ team: { apps: { _not: { id: { _eq: '' } } } } }) },
        },
      },
      'too many subqueries: 504 > 500',
    ],
    [
      'too many of them, in a fragment that is spread twice',
      {
        query: `{a:team{...F} b:team{...F}} fragment F on team{apps(where:{_or:[${'{team:{name:{_eq:1}}} '.repeat(251)}]}){id}}`,
      },
      'too many subqueries: 502 > 500',
    ],
    ['too large a batch', Array(51).fill({ query: '{app{id}}' }), 'batch has too many requests'],
    ['a condition nested without end', { query: endless }, 'nested too deeply'],
    ['a body nested without end', `{"query":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 'deeply'],
    ['what is no document', { query: '{' }, 'not a valid graphql query'],
    ['one in a batch', [{ query: '{app{id}}' }, { query: deep }], 'nested too deeply'],
  ])('%s', async (_name, body, message) => {
    const reply = await platform.post('/v1/graphql', body, asTeam())
    expect(reply).toMatchObject({
      status: 200,
      body: {
        errors: [
          { message: expect.stringContaining(message), extensions: { code: 'validation-failed' } },
        ],
      },
    })
  })

  test('what is no JSON', async () => {
    const reply = await platform.post('/v1/graphql', '{"query":', asTeam())
    expect(reply.body).toMatchObject({ errors: [{ extensions: { code: 'invalid-json' } }] })
  })

  test('of a key that occurs twice, the first is judged and passed on', async () => {
    const reply = await platform.post('/v1/graphql', twice, asTeam())
    expect(reply.body).toEqual({ data: { team: [{ id: mine.id }] } })
  })
})

test('who sends too much at once is told to come back, while others are served', async () => {
  const instance = await platform.anotherInstance({ GRAPHQL_CONCURRENCY: '1' })
  const url = `${instance.baseUrl}/v1/graphql`
  const many = Array.from({ length: 40 }, () => post(url, { query: '{app{id}}' }, asTeam()))
  const other = await post(url, { query: '{team{id}}' }, asTeam(theirs))
  expect(other.body).toEqual({ data: { team: [{ id: theirs.id }] } })
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  await instance.stop()
})

test('an answer that breaks off halfway is 503, like one that never comes', async () => {
  const reply = await answeredBy((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"data":')
    setTimeout(() => response.destroy(), 50)
  })
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})

const failure = (code: string, message: string) => ({
  errors: [{ message, extensions: { path: '$', code } }],
})

test.each([
  ['reaches no database', failure('postgres-error', 'connection error')],
  ['has no connection left', failure('postgres-max-connections-error', 'max connections reached')],
  ['reaches no auth hook', failure('unexpected', 'webhook authentication request failed')],
  [
    'has no answer of its auth hook',
    failure('unexpected', 'Invalid response from authorization hook'),
  ],
])('a Hasura that %s, which it says with 200, is unavailable', async (_what, body) => {
  const reply = await answeredBy((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  ['another error of the database', failure('postgres-error', 'division by zero')],
  ['data that contains such words', { data: { app: [{ name: 'connection error' }] } }],
])('%s passes as it is', async (_what, body) => {
  const reply = await answeredBy((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 200, body })
})

test('an answer that is too large is refused, and no more of it is read', async () => {
  let cutOff: unknown
  const reply = await answeredBy((_request, response) => {
    pipeline(Readable.from(endlessSpace()), response).catch((error: unknown) => {
      cutOff = error
    })
  })
  expect(reply).toMatchObject({
    status: 200,
    body: { errors: [{ extensions: { code: 'query-too-costly' } }] },
  })
  await vi.waitUntil(() => cutOff)
})

function* endlessSpace() {
  for (;;) yield Buffer.alloc(1_000_000, ' ')
}

/** What a team is told when a server in Hasura's place answers so. */
async function answeredBy(answer: RequestListener) {
  const server = createServer((request, response) => {
    // The service itself asks with the admin secret.
    if (request.headers.authorization) answer(request, response)
    else response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${Object(server.address()).port}`
  const instance = await platform.anotherInstance({ HASURA_GRAPHQL_ENDPOINT: endpoint })
  const reply = await post(`${instance.baseUrl}/v1/graphql`, { query: '{ app { id } }' }, asTeam())
  await instance.stop()
  server.closeAllConnections()
  server.close()
  return reply
}

/** A request for the apps of a very long name. */
function ofBytes(count: number): string {
  const query = 'query ($name: String) { app(where: {name: {_eq: $name}}) { id } }'
  const request = (name: string) => JSON.stringify({ query, variables: { name } })
  return request('x'.repeat(count - request('').length))
}

function asTeam(team = mine) {
  return { authorization: `Bearer ${team.apiKey}` }
}

const GraphQLBody = z.object({ data: z.any(), errors: z.any() }).partial()

async function graphql(query: string, team = mine) {
  return GraphQLBody.parse((await platform.post('/v1/graphql', { query }, asTeam(team))).body)
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
