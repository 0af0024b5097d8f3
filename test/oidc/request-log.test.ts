import { expect } from 'vitest'
import { readRequestLog } from '../support/hasura/read-request-log.ts'
import {
  authorizeUrl,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import type { TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic } from '../support/oidc/token-calls.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

test.beforeAll(({ signIn }) => {
  platform = signIn
})
test.beforeEach(async () => {
  client = await registerClient(platform.url)
})

const authorize = (parameters: Record<string, string>) =>
  fetchVia(platform.url)(authorizeUrl(client, parameters))
const log = (length = 1) => readRequestLog(platform.db, client.id, length)

test('an authorization request that is refused with a page is logged', async () => {
  await authorize({ redirect_uri: 'https://other.example/' })
  await authorize({ scope: '' })
  expect(await log(2)).toMatchObject([
    { endpoint: '/authorize', code: 'invalid_redirect_uri', attribute: 'redirect_uri' },
    { endpoint: '/authorize', code: 'required', attribute: 'scope' },
  ])
})

test('an error that the website receives with a redirect is logged with its OAuth code', async () => {
  const { status } = await authorize({ scope: 'email' })
  expect(status).toBe(303)
  await authorize({ prompt: 'none' })
  expect(await log(2)).toMatchObject([
    { endpoint: '/authorize', code: 'invalid_scope' },
    { endpoint: '/authorize', code: 'login_required' },
  ])
})

test('a sign-in that the person cancels is logged', async () => {
  await new Visitor(platform.url).cancel(authorizeUrl(client))
  expect(await log()).toMatchObject([
    { endpoint: '/authorize', code: 'access_denied', detail: 'The person did not sign in.' },
  ])
})

test('a proof that is refused on the sign-in page is logged', async () => {
  const visitor = new Visitor(platform.url)
  const page = await visitor.begin(authorizeUrl(client))
  expect((await visitor.prove(page, { root: 9n })).status).toBe(400)
  expect(await log()).toMatchObject([{ endpoint: '/login', code: 'invalid_merkle_root' }])
})

test('a refused exchange of a code is logged: a wrong secret, a wrong code, a missing field', async () => {
  const form = { grant_type: 'authorization_code', code: 'wrong' }
  await postForm(platform.url, '/token', form, basic(client.id, 'sk_wrong'))
  await postForm(platform.url, '/token', { ...form, client_id: client.id, client_secret: 'wrong' })
  await postForm(platform.url, '/token', form, { authorization: client.basic })
  const { code: _code, ...incomplete } = form
  await postForm(platform.url, '/token', incomplete, { authorization: client.basic })
  const rows = await log(3)
  expect(rows.map(({ endpoint, code, attribute }) => [endpoint, code, attribute])).toEqual([
    ['/token', 'unauthenticated', null],
    ['/token', 'invalid_grant', 'code'],
    ['/token', 'required', 'code'],
  ])
  expect(rows[0]?.times).toBe(2)
  expect(JSON.stringify(rows)).not.toContain('wrong')
})

test('a refused introspection is logged', async () => {
  await postForm(platform.url, '/introspect', { token: 'x' }, basic(client.id, 'sk_wrong'))
  expect(await log()).toMatchObject([{ endpoint: '/introspect', code: 'unauthenticated' }])
})

test('a sign-in that succeeds is not logged', async () => {
  await new Visitor(platform.url).signIn(authorizeUrl(client))
  await authorize({ prompt: 'none' })
  expect(await log()).toMatchObject([{ code: 'login_required' }])
})
