import { generateKeyPairSync } from 'node:crypto'
import { CompactSign, exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { metadata, replace, runSql, table } from '../../support/engine/metadata.ts'
import {
  type Received,
  type Receiver,
  type Replied,
  receiver,
} from '../../support/engine/receiver.ts'
import { serveEngineHere } from '../../support/engine/serve-here.ts'
import { ready } from '../../support/engine/socket.ts'
import {
  ADMIN_SECRET,
  answered,
  type RunningEngine,
  type ServedEngine,
  startEngine,
} from '../../support/engine/start-engine.ts'

let db: Database
let open: RunningEngine

beforeAll(async () => {
  db = await database()
  open = await startEngine(db.url)
  await open.post(
    '/v2/query',
    runSql(`create table note (id int primary key, owner text);
    insert into note values (1, 'ada'), (2, 'bob')`),
  )
  const permission = (role: string, filter: object) => ({
    role,
    permission: { columns: '*', filter },
  })
  const mine = { owner: { _eq: 'X-Hasura-User-Id' } }
  const note = table('note', {
    select_permissions: [permission('user', mine), permission('anonymous', { id: { _eq: 2 } })],
  })
  await open.post('/v1/metadata', replace(metadata([note])))
})

afterAll(async () => {
  await open.stop()
  await db.drop()
})

const NOTES = JSON.stringify({ query: '{ note(order_by: {id: asc}) { id } }' })

/** The ids that a caller with only these headers sees, or the code of the error. */
async function seen(engine: ServedEngine, headers: Record<string, string>) {
  const reply = await fetch(`${engine.url}/v1/graphql`, { method: 'POST', headers, body: NOTES })
  const { body } = await answered(reply)
  if (isData(body)) return body.data.note.map(({ id }) => id)
  if (isErrors(body)) return body.errors[0]?.extensions.code
  return body
}

function isData(body: unknown): body is { data: { note: { id: number }[] } } {
  return typeof body === 'object' && body !== null && 'data' in body
}

function isErrors(body: unknown): body is { errors: { extensions: { code: string } }[] } {
  return typeof body === 'object' && body !== null && 'errors' in body
}

describe('the admin secret', () => {
  test.each([
    ['is needed', {}, 'access-denied'],
    ['must be right', { 'x-hasura-admin-secret': 'wrong' }, 'access-denied'],
    ['makes admin', { 'x-hasura-admin-secret': ADMIN_SECRET }, [1, 2]],
    ['has an older name', { 'x-hasura-access-key': ADMIN_SECRET }, [1, 2]],
    [
      'lets choose role and variables',
      { 'x-hasura-admin-secret': ADMIN_SECRET, 'X-Hasura-Role': 'user', 'X-HASURA-USER-ID': 'bob' },
      [2],
    ],
    [
      'must say plainly whether permissions for back ends count',
      {
        'x-hasura-admin-secret': ADMIN_SECRET,
        'x-hasura-use-backend-only-permissions': 'perhaps',
      },
      'bad-request',
    ],
    [
      'gives a role no more than it has',
      { 'x-hasura-admin-secret': ADMIN_SECRET, 'x-hasura-role': 'nobody' },
      'validation-failed',
    ],
  ])('%s', async (_what, headers, expected) => {
    expect(await seen(open, headers)).toEqual(expected)
  })

  test('an engine without one trusts everybody', async () => {
    const engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_ADMIN_SECRET: null })
    expect(await seen(engine, {})).toEqual([1, 2])
    expect(await seen(engine, { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' })).toEqual([1])
    await engine.stop()
  })

  test('that is empty makes nobody admin', async () => {
    const engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_ADMIN_SECRET: '' })
    expect(await seen(engine, {})).toBe('access-denied')
    expect(await seen(engine, { 'x-hasura-admin-secret': '' })).toBe('access-denied')
    await engine.stop()
  })

  test('is never written to the log', async () => {
    await seen(open, { 'x-hasura-admin-secret': 'wrong-secret' })
    await seen(open, { 'x-hasura-admin-secret': ADMIN_SECRET })
    expect(open.output()).not.toContain(ADMIN_SECRET)
    expect(open.output()).not.toContain('wrong-secret')
  })
})

describe('the unauthorized role', () => {
  let engine: ServedEngine
  beforeAll(async () => {
    engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous' })
  })
  afterAll(() => engine.stop())

  test.each([
    ['is for those without a secret', {}, [2]],
    ['cannot be changed by a header', { 'x-hasura-role': 'admin' }, [2]],
    ['is not for a wrong secret', { 'x-hasura-admin-secret': 'wrong' }, 'access-denied'],
    ['is not for the right one', { 'x-hasura-admin-secret': ADMIN_SECRET }, [1, 2]],
  ])('%s', async (_what, headers, expected) => {
    expect(await seen(engine, headers)).toEqual(expected)
  })

  test('has the variables that the client says, but for the role', async () => {
    const user = await serveEngineHere(db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'user' })
    const headers = { 'X-Hasura-User-Id': 'ada', 'x-hasura-role': 'anonymous' }
    expect(await seen(user, headers)).toEqual([1])
    await user.stop()
  })

  test('may not use the metadata API, and is told with HTTP 400', async () => {
    const body = JSON.stringify({ type: 'export_metadata', args: {} })
    const reply = await answered(await fetch(`${engine.url}/v1/metadata`, { method: 'POST', body }))
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'access-denied' })
  })
})

describe.each(['GET', 'POST'])('an authentication hook asked by %s', (mode) => {
  let engine: ServedEngine
  let hook: Receiver
  let reply: (request: Received) => Replied

  beforeAll(async () => {
    hook = await receiver((request) => reply(request))
    engine = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_AUTH_HOOK: `${hook.url}/hook`,
      HASURA_GRAPHQL_AUTH_HOOK_MODE: mode,
    })
  })
  afterAll(async () => {
    await engine.stop()
    await hook.close()
  })

  test('decides role and variables; the headers of the client do not', async () => {
    reply = () => ({ status: 200, body: { 'X-Hasura-Role': 'user', 'x-hasura-user-id': 'ada' } })
    expect(await seen(engine, { authorization: 'Bearer t', 'x-hasura-user-id': 'bob' })).toEqual([
      1,
    ])
  })

  test('gets the request of the client', async () => {
    reply = () => ({ status: 200, body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' } })
    await seen(engine, { authorization: 'Bearer token', 'content-type': 'application/json' })
    const request = hook.received.at(-1)
    expect(request).toMatchObject({ method: mode, url: '/hook' })
    expect(request?.headers['user-agent']).toMatch(/^hasura-graphql-engine\//)
    if (mode === 'GET') expect(request?.headers).toMatchObject({ authorization: 'Bearer token' })
    else {
      const told = { headers: { authorization: 'Bearer token' }, request: JSON.parse(NOTES) }
      expect(request?.body).toMatchObject(told)
    }
  })

  test
    .runIf(mode === 'POST')
    .each(['{"query":5}', '{"query":"{a}","variables":5}', '{', '[1]', '5'])(
    'is told of no request if it is not one of GraphQL: %s',
    async (body) => {
      reply = () => ({ status: 200, body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' } })
      const before = hook.received.length
      await fetch(`${engine.url}/v1/graphql`, { method: 'POST', body })
      const asked = hook.received.slice(before)
      expect(asked.map(({ body }) => Object(body).request)).toEqual([null])
    },
  )

  test('is not asked about the admin secret, right or wrong', async () => {
    const before = hook.received.length
    expect(await seen(engine, { 'x-hasura-admin-secret': ADMIN_SECRET })).toEqual([1, 2])
    expect(await seen(engine, { 'x-hasura-admin-secret': 'wrong' })).toBe('access-denied')
    expect(hook.received.length).toBe(before)
  })

  test.each([
    ['401', { status: 401 }, 'access-denied'],
    ['403', { status: 403 }, 'unexpected'],
    ['500', { status: 500 }, 'unexpected'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'unexpected'],
    ['no JSON', { status: 200, body: 'hello' }, 'unexpected'],
    ['a list', { status: 200, body: [] }, 'unexpected'],
    [
      'a number for a variable',
      { status: 200, body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 1 } },
      'unexpected',
    ],
    ['no role', { status: 200, body: { 'x-hasura-user-id': 'ada' } }, 'invalid-params'],
  ])('that answers %s is refused with its code', async (_what, answer, code) => {
    reply = () => answer
    expect(await seen(engine, {})).toBe(code)
  })

  test('says each variable once: of two spellings the first counts', async () => {
    const body =
      '{"X-Hasura-Role":"user","x-hasura-role":"anonymous","x-hasura-role":"admin","x-hasura-user-id":"ada"}'
    reply = () => ({ status: 200, body })
    expect(await seen(engine, {})).toEqual([1])
  })

  test('may set cookies at the client', async () => {
    reply = () => ({
      status: 200,
      headers: { 'set-cookie': ['a=1', 'b=2'] },
      body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' },
    })
    const answer = await fetch(`${engine.url}/v1/graphql`, { method: 'POST', body: NOTES })
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })
})

test('a hook that is not there is unexpected', async () => {
  const engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_AUTH_HOOK: 'http://127.0.0.1:1/' })
  expect(await seen(engine, {})).toBe('unexpected')
  await engine.stop()
})

describe('a JWT', () => {
  const KEY = 'a-key-of-the-tests-that-is-just-long-enough'
  const NAMESPACE = 'https://hasura.io/jwt/claims'
  const CLAIMS = {
    'x-hasura-allowed-roles': ['user', 'anonymous'],
    'x-hasura-default-role': 'user',
    'x-hasura-user-id': 'ada',
  }
  let engine: ServedEngine
  beforeAll(async () => {
    engine = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        type: 'HS256',
        key: KEY,
        audience: 'us',
        issuer: 'them',
      }),
    })
  })
  afterAll(() => engine.stop())

  function signed(
    claims: object | string,
    { key = KEY, audience = 'us', issuer = 'them', expires = '1h' } = {},
  ) {
    return new SignJWT({ [NAMESPACE]: claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setIssuer(issuer)
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(key))
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test('decides role and variables', async () => {
    const headers = bearer(await signed(CLAIMS))
    expect(await seen(engine, headers)).toEqual([1])
    expect(await seen(engine, { ...headers, 'x-hasura-user-id': 'bob' })).toEqual([1])
    expect(await seen(engine, { ...headers, 'x-hasura-role': 'anonymous' })).toEqual([2])
    expect(await seen(engine, { ...headers, 'x-hasura-role': 'admin' })).toBe('access-denied')
    expect(await seen(engine, { ...headers, 'x-hasura-role': '' })).toEqual([1])
  })

  test('says each claim once: of two spellings the first counts', async () => {
    const claims = { ...CLAIMS, 'X-Hasura-User-Id': 'bob', 'X-Hasura-Default-Role': 'anonymous' }
    expect(await seen(engine, bearer(await signed(claims)))).toEqual([1])
  })

  test.each(['graphql-transport-ws', 'graphql-ws'])(
    'that has expired ends its socket without a close frame, as in Hasura (%s)',
    async (protocol) => {
      const headers = bearer(await signed(CLAIMS, { expires: '1 second' }))
      const opened = await ready(engine.url, headers, protocol)
      expect(await opened.closed).toEqual({ code: 1006, reason: '' })
    },
  )

  const withMember = (member: string) => JSON.stringify(CLAIMS).replace('{', `{${member},`)
  const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
  test.each([
    ['issued in the future', () => ({ iat: inAnHour() })],
    ['with a number for its subject', () => ({ sub: 1 })],
    ['with a number for its id', () => ({ jti: 1 })],
    ['with a subject that is no URI', () => ({ sub: 'a b:c' })],
  ])('%s is refused', async (_what, stated) => {
    const claims = { [NAMESPACE]: CLAIMS, aud: 'us', iss: 'them', exp: inAnHour(), ...stated() }
    const token = new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(KEY))
    expect(await seen(engine, bearer(await token))).toBe('invalid-jwt')
  })

  test.each([
    ['claim', (text: string) => text.replace('{', '{"exp":1,')],
    [
      'claim of Hasura',
      (text: string) => text.replace('"x-hasura-user-id"', '"x-hasura-user-id":"eve",$&'),
    ],
  ])('with a %s that is there twice, and not the same, is refused', async (_what, twice) => {
    const text = JSON.stringify({ [NAMESPACE]: CLAIMS, aud: 'us', iss: 'them', exp: inAnHour() })
    const sign = (payload: string) =>
      new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(KEY))
    expect(await seen(engine, bearer(await sign(text)))).not.toBe('invalid-jwt')
    expect(await seen(engine, bearer(await sign(twice(text))))).toBe('invalid-jwt')
  })

  test.each([
    ['by default', { 'x-hasura-default-role': '' }],
    ['among the allowed', { 'x-hasura-allowed-roles': ['user', ''] }],
  ])('with a role without a name %s is refused', async (_where, claims) => {
    expect(await seen(engine, bearer(await signed({ ...CLAIMS, ...claims })))).toBe(
      'jwt-invalid-claims',
    )
  })

  test('is refused with padding, and by another spelling of the scheme', async () => {
    const token = await signed(CLAIMS)
    expect(await seen(engine, bearer(`${token}=`))).toBe('invalid-jwt')
    expect(await seen(engine, { authorization: `bearer ${token}` })).toBe('invalid-headers')
  })

  test.each([
    [
      'signed with another key',
      () => signed(CLAIMS, { key: KEY.replace('a-', 'b-') }),
      'invalid-jwt',
    ],
    ['for somebody else', () => signed(CLAIMS, { audience: 'others' }), 'invalid-jwt'],
    ['by somebody else', () => signed(CLAIMS, { issuer: 'others' }), 'invalid-jwt'],
    ['that has expired', () => signed(CLAIMS, { expires: '1 second ago' }), 'invalid-jwt'],
    ['that is none', async () => 'a.b.c', 'invalid-jwt'],
    [
      'without a default role',
      () => signed({ 'x-hasura-allowed-roles': ['user'] }),
      'jwt-missing-role-claims',
    ],
    [
      'with one text for the roles',
      () => signed({ ...CLAIMS, 'x-hasura-allowed-roles': 'user' }),
      'jwt-invalid-claims',
    ],
    [
      'with a number for a variable',
      () => signed({ ...CLAIMS, 'x-hasura-user-id': 1 }),
      'jwt-invalid-claims',
    ],
  ])('%s is refused with its code', async (_what, token, code) => {
    expect(await seen(engine, bearer(await token()))).toBe(code)
  })

  test.each([
    ['json', CLAIMS, [1]],
    ['json', JSON.stringify(CLAIMS), 'jwt-invalid-claims'],
    ['stringified_json', JSON.stringify(CLAIMS), [1]],
    ['stringified_json', CLAIMS, 'jwt-invalid-claims'],
    ['stringified_json', '{', 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-user-id":"eve"'), 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-default-role":"anonymous"'), 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-user-id":"ada"'), [1]],
  ])('has its claims in the format %s: %j', async (claims_format, claims, outcome) => {
    const secret = JSON.stringify({ type: 'HS256', key: KEY, claims_format })
    const strict = await serveEngineHere(db.url, { HASURA_GRAPHQL_JWT_SECRET: secret })
    expect(await seen(strict, bearer(await signed(claims)))).toEqual(outcome)
    await strict.stop()
  })

  test('without a signature is refused, whatever its header says', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { [NAMESPACE]: CLAIMS, aud: 'us', iss: 'them' }
    expect(await seen(engine, bearer(`${part({ alg: 'none' })}.${part(claims)}.`))).toBe(
      'invalid-jwt',
    )
  })

  test('is needed, and must be a bearer', async () => {
    expect(await seen(engine, {})).toBe('invalid-headers')
    expect(await seen(engine, { authorization: 'Basic abc' })).toBe('invalid-headers')
  })

  test('may be left out if there is an unauthorized role, but must not be wrong', async () => {
    const lenient = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
      HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
    })
    expect(await seen(lenient, { 'x-hasura-role': 'user' })).toEqual([2])
    expect(await seen(lenient, bearer('a.b.c'))).toBe('invalid-jwt')
    const wrong = { ...bearer(await signed(CLAIMS)), 'x-hasura-admin-secret': 'wrong' }
    expect(await seen(lenient, wrong)).toBe('access-denied')
    await lenient.stop()
  })

  test('may be checked with a public key from an address, its claims under a path', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] }
    const jwks = await receiver(() => ({ status: 200, body: keys }))
    const other = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        jwk_url: jwks.url,
        claims_namespace_path: '$.deep.claims',
      }),
    })
    const token = await new SignJWT({ deep: { claims: CLAIMS } })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(privateKey)
    expect(await seen(other, bearer(token))).toEqual([1])
    expect(await seen(other, bearer(await signed(CLAIMS)))).toBe('invalid-jwt')
    await other.stop()
    await jwks.close()
  })

  test('of several issuers is verified with the key of its own issuer', async () => {
    const other = 'the key of another issuer, long enough'
    const engines = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_JWT_SECRETS: JSON.stringify([
        { type: 'HS256', key: KEY, issuer: 'one' },
        { type: 'HS256', key: other, issuer: 'two' },
      ]),
    })
    const token = (issuer: string, key: string) =>
      new SignJWT({ [NAMESPACE]: CLAIMS })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(issuer)
        .sign(new TextEncoder().encode(key))
    expect(await seen(engines, bearer(await token('one', KEY)))).toEqual([1])
    expect(await seen(engines, bearer(await token('two', other)))).toEqual([1])
    expect(await seen(engines, bearer(await token('two', KEY)))).toBe('invalid-jwt')
    expect(await seen(engines, bearer(await token('three', KEY)))).toBe('invalid-jwt')
    await engines.stop()
  })

  test('may have its claims in other places, and come in a cookie', async () => {
    const claims_map = {
      'x-hasura-allowed-roles': { path: '$.groups' },
      'x-hasura-default-role': 'user',
      'x-hasura-user-id': { path: '$.sub' },
    }
    const header = { type: 'Cookie', name: 'session' }
    const other = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY, claims_map, header }),
    })
    const token = await new SignJWT({ groups: ['user'], sub: 'bob' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(KEY))
    expect(await seen(other, { cookie: `a=b; session=${token}` })).toEqual([2])
    expect(await seen(other, { cookie: `session="${token}"` })).toEqual([2])
    expect(await seen(other, { cookie: `session=${token}; session=${token}` })).toBe(
      'invalid-headers',
    )
    await other.stop()
  })

  test.each([
    ['a key that is too short', { type: 'HS512', key: KEY }, /at least 64 bytes/],
    ['no key', { type: 'HS256' }, /needs jwk_url, or key and type/],
    ['a key and an address', { type: 'HS256', key: KEY, jwk_url: 'http://a.test' }, /cannot both/],
    [
      'two places for the claims',
      { type: 'HS256', key: KEY, claims_namespace: 'a', claims_namespace_path: '$.a' },
      /cannot both/,
    ],
    ['a key that is no PEM', { type: 'RS256', key: KEY }, /not PEM/],
  ])('with %s the engine does not start', async (_what, secret, reason) => {
    const started = serveEngineHere(db.url, { HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret) })
    await expect(started).rejects.toThrow(reason)
    await expect(started).rejects.not.toThrow(KEY)
  })
})
