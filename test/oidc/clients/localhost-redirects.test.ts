import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSignInConfig } from '../../../lib/runtime/config.ts'
import { authorizeUrl, type TestClient } from '../../support/oidc/register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia } from '../../support/oidc/visitor.ts'

const REDIRECT = 'http://localhost:4000/callback'

let production: TestSignIn
/** The URL of an instance on the same database, configured as by `npm start`. */
let local: string

beforeAll(async () => {
  production = await startTestSignIn()
  local = (await production.startAnother({ env: { LOCALHOST_REDIRECTS: 'true' } })).url
})
afterAll(() => production.stop())

async function makeApp(isStaging: boolean): Promise<TestClient> {
  const { rows } = await production.db.query(
    `with new_team as (insert into team (name) values ('Site') returning id)
    insert into app (team_id, name, is_staging) select id, 'Site', $1 from new_team returning id`,
    [isStaging],
  )
  return { id: rows[0].id, secret: '', basic: '' }
}

const addRedirect = (app: TestClient, uri = REDIRECT) =>
  production.db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [app.id, uri])

async function begin(url: string, app: TestClient, redirect_uri = REDIRECT) {
  const response = await fetchVia(url)(authorizeUrl(app, { redirect_uri }))
  return response.status === 303 ? 'begun' : Object(await response.json()).code
}

test('a database without local_development rejects redirects to localhost', async () => {
  const app = await makeApp(true)
  await expect(addRedirect(app)).rejects.toMatchObject({ code: '23514' })
  await addRedirect(app, 'https://rp.example/callback')
  await expect(
    production.db.query('update redirect set redirect_uri = $2 where app_id = $1', [
      app.id,
      REDIRECT,
    ]),
  ).rejects.toMatchObject({ code: '23514' })
})

describe('a database with local_development accepts redirects to http://localhost with a port', () => {
  beforeAll(() => production.db.query('insert into local_development values (true)'))

  test('a staging app with a redirect to http://localhost:4000 can begin a sign-in with this host and port only', async () => {
    const app = await makeApp(true)
    await addRedirect(app)
    expect(await begin(local, app)).toBe('begun')
    for (const host of ['localhost:4001', 'localhost', '127.0.0.1:4000', 'localhost.example:4000'])
      expect(await begin(local, app, `http://${host}/callback`)).toBe('invalid_redirect_uri')
  })

  test.each([
    'http://localhost/callback',
    'http://localhost:/callback',
    'http://localhost:99999/callback',
    'http://127.0.0.1:4000/callback',
    'http://rp.example:4000/callback',
    'http://localhost:4000@rp.example/callback',
    'http://localhost:4000/callback#x',
    'https://localhost:4000/callback',
  ])('the redirect %j is rejected', async (uri) => {
    await expect(addRedirect(await makeApp(true), uri)).rejects.toMatchObject({ code: '23514' })
  })

  test('a redirect to localhost for a production app is rejected', async () => {
    await expect(addRedirect(await makeApp(false))).rejects.toMatchObject({ code: '23514' })
  })

  test('POST /register rejects a redirect to localhost, because its callers are anonymous', async () => {
    const response = await fetchVia(local)(`${ISSUER}/register`, {
      method: 'POST',
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    })
    expect(await response.json()).toMatchObject({ code: 'invalid_redirect_uri' })
  })

  test('a server without LOCALHOST_REDIRECTS ignores a redirect to localhost', async () => {
    const app = await makeApp(true)
    await addRedirect(app, 'https://rp.example/callback')
    await addRedirect(app)
    expect(await begin(production.url, app)).toBe('invalid_redirect_uri')
    expect(await begin(production.url, app, 'https://rp.example/callback')).toBe('begun')
  })
})

test('in production the server refuses to start with LOCALHOST_REDIRECTS', () => {
  const start = () =>
    readSignInConfig({
      ...production.env,
      NODE_ENV: 'production',
      DEVELOPMENT_KEY_FILE: '',
      VERIFICATION_KEYS_STAGING: '',
      LOCALHOST_REDIRECTS: 'true',
    })
  expect(start).toThrow('LOCALHOST_REDIRECTS must not be set in production')
})
