import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect } from 'vitest'
import {
  authorizeUrl,
  CALLBACK,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
})

const SUBJECT = `0x${42n.toString(16).padStart(64, '0')}`

test('the code flow returns the fields and claims of docs/specification.md', async () => {
  const visitor = new Visitor(platform.url)
  const back = await visitor.signIn(authorizeUrl(client))
  expect(back.status).toBe(303)
  const location = new URL(back.headers.get('location') ?? '')
  expect(location.origin + location.pathname).toBe(CALLBACK)
  expect(Object.fromEntries(location.searchParams)).toEqual({
    code: expect.any(String),
    state: 'some-state',
    iss: ISSUER,
  })

  const code = location.searchParams.get('code') ?? ''
  const tokens = await postForm(
    platform.url,
    '/token',
    { grant_type: 'authorization_code', code },
    { authorization: client.basic },
  )
  expect(tokens).toMatchObject({
    status: 200,
    body: { token_type: 'Bearer', expires_in: 3600, scope: 'openid email profile' },
  })
  const { access_token, id_token } = tokens.body
  expect(decodeProtectedHeader(access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
  expect(decodeJwt(id_token)).toMatchObject({
    iss: ISSUER,
    aud: client.id,
    sub: SUBJECT,
    nonce: 'some-nonce',
    email: `${SUBJECT.slice(2)}@id.example.test`,
    [`${ISSUER}/beta`]: { likely_human: 'weak', credential_type: 'orb', staging: true },
  })

  const info = await fetchVia(platform.url)(`${ISSUER}/userinfo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
  })
  expect({ status: info.status, body: await info.json() }).toEqual({
    status: 200,
    body: {
      sub: SUBJECT,
      [`${ISSUER}/beta`]: { likely_human: 'weak', credential_type: 'orb', staging: true },
      email: `${SUBJECT.slice(2)}@id.example.test`,
      name: 'World ID User',
      given_name: 'World ID',
      family_name: 'User',
    },
  })

  const introspected = await postForm(
    platform.url,
    '/introspect',
    { token: access_token },
    { authorization: client.basic },
  )
  expect(introspected).toMatchObject({ status: 200 })
  expect(introspected.body).toEqual({
    active: true,
    client_id: client.id,
    exp: expect.any(Number),
    sub: SUBJECT,
    [`${ISSUER}/beta`]: { likely_human: 'weak', credential_type: 'orb', staging: true },
  })
})

describe('/authorize supports every response type', () => {
  test.each([
    ['code', ['code', 'iss']],
    ['id_token', ['id_token', 'iss']],
    ['id_token token', ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'token_type']],
    ['code id_token', ['code', 'id_token', 'iss']],
    ['code token', ['access_token', 'code', 'expires_in', 'iss', 'scope', 'token_type']],
    [
      'token id_token code',
      ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'token_type'],
    ],
  ])('response_type=%s returns %j', async (response_type, names) => {
    const visitor = new Visitor(platform.url)
    const back = await visitor.signIn(authorizeUrl(client, { response_type }))
    const location = new URL(back.headers.get('location') ?? '')
    const answer = new URLSearchParams(
      response_type === 'code' ? location.search : location.hash.slice(1),
    )
    expect([...answer.keys()].filter((name) => name !== 'state').sort()).toEqual(names)
  })
})
