import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { authorizeUrl, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { createTokenCalls } from '../support/oidc/token-calls.ts'
import { Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient
const query = vi.spyOn(Pool.prototype, 'query')

beforeAll(async () => {
  platform = await startTestSignIn()
  client = await registerClient(platform.url)
})
afterAll(async () => {
  query.mockRestore()
  await platform.stop()
})
beforeEach(() => void query.mockClear())

/** Returns the names of the artifact statements since the last call. */
function statements(): unknown[] {
  const names = query.mock.calls.map(([statement]) => Object(statement).name)
  query.mockClear()
  return names.filter((name) => String(name).startsWith('oidc_'))
}

const { redeem, introspect, userinfo } = createTokenCalls(() => ({ url: platform.url, client }))

test('a code flow makes only the expected round trips to the database', async () => {
  const visitor = new Visitor(platform.url)
  const page = await visitor.begin(authorizeUrl(client))
  expect(statements()).toEqual(['oidc_change', 'oidc_find'])
  const { redirect_to } = Object(await (await visitor.prove(page)).json())
  // The server finds the sign-in, uses it up before counting the person, and stores the grant with the result.
  expect(statements()).toEqual(['oidc_find', 'oidc_change', 'oidc_change'])
  const back = await visitor.request(redirect_to)
  expect(statements()).toEqual(['oidc_find', 'oidc_change'])
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const form = { code, redirect_uri: 'https://rp.example/callback' }
  const { body } = await redeem(form, { authorization: client.basic })
  expect(statements()).toEqual(['oidc_find', 'oidc_change'])
  await userinfo(String(body.access_token))
  expect(statements()).toEqual(['oidc_find'])
  await introspect(String(body.access_token))
  expect(statements()).toEqual(['oidc_find'])
})

test.each(['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'])(
  'with response_type=%s, the return to the app ends the sign-in and stores tokens in the same statement',
  async (response_type) => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client, { response_type }))
    const { redirect_to } = Object(await (await visitor.prove(page)).json())
    statements()
    expect((await visitor.request(redirect_to)).status).toBe(303)
    expect(statements()).toEqual(['oidc_find', 'oidc_change'])
  },
)
