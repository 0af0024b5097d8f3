import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import { authorizeUrl, CALLBACK, postRegistration } from '../../support/oidc/register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia } from '../../support/oidc/visitor.ts'

let platform: TestSignIn

beforeAll(async () => {
  platform = await startTestSignIn()
})
afterAll(() => platform.stop())

const register = (body: unknown) => postRegistration(platform.url, body)

test('a registration in the form of docs/specification.md gets a response in that form, and creates a team and an app', async () => {
  const { status, headers, body } = await register({
    redirect_uris: [CALLBACK],
    client_name: 'Größe',
    application_type: 'mobile',
    grant_types: 'authorization_code',
    response_types: 'code',
  })
  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    application_type: 'mobile',
    client_id: expect.stringMatching(/^app_staging_[0-9a-f]{32}$/),
    client_id_issued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    client_name: 'Größe',
    client_secret: expect.stringMatching(/^sk_[0-9a-f]{48}$/),
    client_secret_expires_at: 0,
    environment: 'staging',
    grant_types: 'authorization_code',
    redirect_uris: [CALLBACK],
    registration_access_token: expect.stringMatching(/^[\w-]{43}$/),
    registration_client_uri: `${ISSUER}/register/${body.client_id}`,
    removed_if_unused_at: Math.floor(Date.parse(body.client_id_issued_at) / 1_000) + 30 * 86_400,
    response_types: 'code',
  })
  const { rows } = await platform.db.query(
    'select team.name as team, app.name as app, is_staging from app join team on team.id = team_id where app.id = $1',
    [body.client_id],
  )
  expect(rows).toEqual([{ team: 'Größe', app: 'Größe', is_staging: true }])
})

test('a registration in the form of RFC 7591 gets a response in that form', async () => {
  const { status, body } = await register({
    redirect_uris: [CALLBACK, 'https://other.example/cb?a=b'],
    grant_types: ['authorization_code', 'implicit'],
    response_types: ['code', 'id_token code'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    client_id_issued_at: expect.any(Number),
    client_secret_expires_at: 0,
    grant_types: ['authorization_code', 'implicit'],
    response_types: ['code', 'code id_token'],
    token_endpoint_auth_method: 'client_secret_post',
    application_type: 'web',
  })
})

test('unknown grant types are ignored if one grant type is known', async () => {
  const { status, body } = await register({
    redirect_uris: [CALLBACK],
    grant_types: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  })
  expect([status, body]).toMatchObject([201, { grant_types: ['authorization_code'] }])
})

test('null fields count as absent', async () => {
  const names = ['client_name', 'application_type', 'grant_types', 'response_types']
  const nullFields = Object.fromEntries(
    [...names, 'token_endpoint_auth_method'].map((name) => [name, null]),
  )
  const { status, body } = await register({ redirect_uris: [CALLBACK], ...nullFields })
  expect([status, body]).toMatchObject([
    201,
    { client_name: 'Unnamed client', application_type: 'web', grant_types: 'authorization_code' },
  ])
})

test.each([
  [{}, ['code']],
  [{ grant_types: 'implicit' }, ['id_token', 'id_token token']],
  [
    { grant_types: 'hybrid' },
    ['code', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'],
  ],
  [{ response_types: 'code,id_token' }, ['code', 'id_token']],
  [{ response_types: ['token id_token'] }, ['id_token token']],
])('a registration with %j allows the response types %j', async (fields, types) => {
  const { body } = await register({ redirect_uris: [CALLBACK], ...fields })
  const { rows } = await platform.db.query(
    'select response_types from sign_in_client where app_id = $1',
    [body.client_id],
  )
  expect(rows[0].response_types.sort()).toEqual([...types].sort())
})

describe('POST /register rejects invalid metadata', () => {
  test.each([
    ['no redirect_uris', {}, 'required', 'redirect_uris'],
    ['redirect_uris: null', { redirect_uris: null }, 'required', 'redirect_uris'],
    ['an empty list of redirect_uris', { redirect_uris: [] }, 'required', 'redirect_uris'],
    [
      'redirect_uris as a text',
      { redirect_uris: CALLBACK },
      'invalid_redirect_uri',
      'redirect_uris',
    ],
    [
      'redirect_uris with a number',
      { redirect_uris: [1] },
      'invalid_redirect_uri',
      'redirect_uris',
    ],
    [
      '21 redirect_uris',
      { redirect_uris: Array.from({ length: 21 }, (_, i) => `${CALLBACK}${i}`) },
      'invalid_redirect_uri',
      'redirect_uris',
    ],
    [
      'an unknown grant type',
      { redirect_uris: [CALLBACK], grant_types: 'password' },
      'validation_error',
      'grant_types',
    ],
    [
      'an unknown response type',
      { redirect_uris: [CALLBACK], response_types: ['token'] },
      'validation_error',
      'response_types',
    ],
    [
      'an unknown application type',
      { redirect_uris: [CALLBACK], application_type: 'fridge' },
      'validation_error',
      'application_type',
    ],
    [
      'an unsupported authentication method',
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' },
      'validation_error',
      'token_endpoint_auth_method',
    ],
    [
      'a name of 129 characters',
      { redirect_uris: [CALLBACK], client_name: 'x'.repeat(129) },
      'validation_error',
      'client_name',
    ],
    [
      'a name with control characters',
      { redirect_uris: [CALLBACK], client_name: 'a\u0000b' },
      'validation_error',
      'client_name',
    ],
    [
      'a name without visible characters',
      { redirect_uris: [CALLBACK], client_name: '\u200b\u202e' },
      'validation_error',
      'client_name',
    ],
    ['incomplete JSON', '{"redirect_uris":', 'invalid_request', null],
    ['a JSON list', '[]', 'invalid_request', null],
    ['an empty body', '', 'invalid_request', null],
  ])('POST /register rejects %s', async (_name, body, code, attribute) => {
    const reply = await register(body)
    expect(reply).toMatchObject({ status: 400, body: { code, attribute } })
    expect(reply.body.error).toMatch(/^invalid_/)
  })

  test.each([
    ['grant_types', 'password', 'authorization_code, implicit or hybrid'],
    ['grant_types', ['refresh_token'], 'authorization_code, implicit or hybrid'],
    ['response_types', 'token', 'code, id_token and token'],
  ])('the error for %s %j lists the possible values', async (name, value, words) => {
    const { body } = await register({ redirect_uris: [CALLBACK], [name]: value })
    expect(body).toMatchObject({ attribute: name, detail: expect.stringContaining(words) })
  })

  test('a body of 70 kB gets 413', async () => {
    const reply = await register({ redirect_uris: [CALLBACK], x: 'x'.repeat(70_000) })
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })
})

test('POST /register ignores a requested id, secret and jwks_uri, and the client can begin a sign-in', async () => {
  const { body } = await register({
    redirect_uris: [CALLBACK],
    client_id: 'app_mine',
    client_secret: 'mine',
    jwks_uri: 'http://127.0.0.1:1/jwks',
    sector_identifier_uri: 'http://127.0.0.1:1/sector',
    subject_type: 'public',
    id_token_signed_response_alg: 'none',
    userinfo_signed_response_alg: 'RS256',
    is_staging: false,
    team_id: 'team_1',
  })
  expect(body.client_id).not.toBe('app_mine')
  expect(body.client_secret).not.toBe('mine')
  expect(Object.keys(body)).not.toContain('jwks_uri')
  const response = await fetchVia(platform.url)(authorizeUrl({ ...body, id: body.client_id }))
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toMatch(/^\/login\//)
})

test('an inactive app is rejected as a client', async () => {
  const { body } = await register({ redirect_uris: [CALLBACK] })
  const { url } = await platform.startAnother()
  await platform.db.query("update app set status = 'inactive' where id = $1", [body.client_id])
  const response = await fetchVia(url)(authorizeUrl({ ...body, id: body.client_id }))
  expect([response.status, Object(await response.json()).code]).toEqual([400, 'invalid_client_id'])
})

test('the fourth registration of a caller limited to three gets 429, with both error codes', async () => {
  const { url } = await platform.startAnother({
    env: { RATE_LIMIT_REGISTER: '3/3600' },
    aheadMs: millisToMiddleOfHour(),
  })
  const send = () =>
    fetchVia(url)(`${ISSUER}/register`, {
      method: 'POST',
      body: '{"redirect_uris":["https://a.example"]}',
    })
  const replies: Response[] = []
  for (let i = 0; i < 4; i++) replies.push(await send())
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 429])
  const last = replies.at(-1)
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await last?.json()).toMatchObject({
    code: 'rate_limited',
    error: 'temporarily_unavailable',
  })
})

test('an unused client is removed at removed_if_unused_at, and not before', async () => {
  const { body } = await register({ redirect_uris: [CALLBACK] })
  const lifetime =
    body.removed_if_unused_at - Math.floor(Date.parse(body.client_id_issued_at) / 1_000)
  const removeAt = async (seconds: number) => {
    await platform.db.query(
      'update sign_in_client set registered_at = now() - make_interval(secs => $1) where app_id = $2',
      [seconds, body.client_id],
    )
    await platform.first.services.graphql.RemoveUnusedClients({ limit: 100 })
    const { rows } = await platform.db.query('select from app where id = $1', [body.client_id])
    return rows.length
  }
  expect(await removeAt(lifetime - 60)).toBe(1)
  expect(await removeAt(lifetime + 1)).toBe(0)
})

test('only unused registrations older than thirty days are removed', async () => {
  const ids: string[] = []
  for (let i = 0; i < 4; i++)
    ids.push((await register({ redirect_uris: [CALLBACK] })).body.client_id)
  const [unusedId, usedId, youngId, portalId] = ids
  await platform.db.query(
    "update sign_in_client set registered_at = now() - interval '31 days' where app_id = any($1)",
    [[unusedId, usedId, portalId]],
  )
  await platform.db.query(
    "insert into nullifier (action_id, nullifier_hash) select id, '0x' || repeat('0', 64) from action where app_id = $1",
    [usedId],
  )
  await platform.db.query('update sign_in_client set registered_at = null where app_id = $1', [
    portalId,
  ])
  await platform.first.services.graphql.RemoveUnusedClients({ limit: 100 })
  const { rows } = await platform.db.query('select id from app where id = any($1)', [ids])
  expect(rows.map(({ id }) => id).sort()).toEqual([usedId, youngId, portalId].sort())
})
