import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, expect } from 'vitest'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import { SECRET_MUTATIONS } from '../../../webhooks/proxy/returns-secret.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { makeApp, owner, platform, setTheScene } from '../../support/webhooks/team-scene.ts'

// Responses with a new secret are never stored, although their request has an idempotency key.

setTheScene()

let app: string
let key: string
let login: string

beforeEach(async () => {
  app = await makeApp(owner.team)
  key = randomUUID()
  const account = { email: owner.email, password: 'difference' }
  login = Object((await platform.post('/api/v1/login', account)).body).token
})

const ROTATE = 'rotate_request_key(app_id: $app)'
const CALLS = {
  'under its name': `{ ${ROTATE} { private_key } }`,
  'under an alias, after another mutation': `{ delete_redirect(where: {}) { affected_rows } id: ${ROTATE} { id: private_key } }`,
  'in fragments': '{ ... { ...Rotate } }',
}

test.for(Object.entries(CALLS))(
  'a retried rotate_request_key %s gets 409, and rotates the key once',
  async ([, selections]) => {
    const fragment = selections.includes('...Rotate')
      ? `fragment Rotate on mutation_root { ${ROTATE} { private_key } }`
      : ''
    const query = `mutation ($app: String!) ${selections} ${fragment}`
    const first = await send({ query, variables: { app } })
    expect(JSON.stringify(first.body)).toMatch(/"0x[0-9a-f]{64}"/)
    expect(await send({ query, variables: { app } })).toMatchObject({
      status: 409,
      body: {
        code: 'answer_not_kept',
        detail: expect.stringContaining('Create a new secret with a new idempotency key.'),
      },
    })
    expect(await readStored()).toEqual([{ is_answered: true, answer_encrypted: null }])
    const { rows } = await platform.db.query('select from request_key where app_id = $1', [app])
    expect(rows).toHaveLength(1)
  },
)

test('a retried create_api_key gets 409, and creates one key', async () => {
  const query = `mutation { create_api_key(team_id: "${owner.team}", name: "A") { api_key } }`
  const first = await send({ query })
  expect(first.body).toMatchObject({ data: { create_api_key: {} } })
  expect(await send({ query })).toMatchObject({ status: 409, body: { code: 'answer_not_kept' } })
  const { rows } = await platform.db.query('select from api_key where team_id = $1', [owner.team])
  expect(rows).toHaveLength(1)
})

test('a retried batch with one new secret gets 409', async () => {
  const secret = `mutation { reset_client_secret(app_id: "${app}") { client_secret } }`
  const batch = [
    { query: 'mutation { delete_redirect(where: {}) { affected_rows } }' },
    { query: secret },
  ]
  expect((await send(batch)).body).toMatchObject([{ data: {} }, { data: {} }])
  expect(await send(batch)).toMatchObject({ status: 409, body: { code: 'answer_not_kept' } })
  expect(await readStored()).toEqual([{ is_answered: true, answer_encrypted: null }])
})

test('a refused rotate_request_key can be retried with the same key', async () => {
  const query = 'mutation ($app: String!) { rotate_request_key(app_id: $app) { private_key } }'
  const variables = { app }
  await platform.db.query('update app set is_archived = true where id = $1', [app])
  expect((await send({ query, variables })).body).toMatchObject({ errors: [{}] })
  await platform.db.query('update app set is_archived = false where id = $1', [app])
  expect((await send({ query, variables })).body).toMatchObject({ data: {} })
})

test('a retried mutation gets the first response if its document also has a mutation with a secret', async () => {
  const query = `mutation Rotate { rotate_request_key(app_id: "${app}") { private_key } }
    mutation Other { delete_redirect(where: {}) { affected_rows } }`
  const first = await send({ query, operationName: 'Other' })
  const retry = await send({ query, operationName: 'Other' })
  expect([retry.status, retry.body]).toEqual([200, first.body])
})

test('the list of mutations with secrets has each action whose response is shown once', () => {
  const sdl = readFileSync('hasura/metadata/actions.graphql', 'utf8')
  const shownOnce = [...sdl.matchAll(/shown only in this response\.\s*"""\s*(\w+)/g)]
  expect([...SECRET_MUTATIONS].sort()).toEqual(shownOnce.map(([, name]) => name).sort())
})

/** Sends a GraphQL request of the owner with the test's idempotency key. */
function send(body: object) {
  const headers = { authorization: `Bearer ${login}`, 'idempotency-key': `"${key}"` }
  return platform.post('/v1/graphql', body, headers)
}

/** Reads the row that is stored for the test's idempotency key. */
async function readStored() {
  const { rows } = await platform.db.query(
    'select is_answered, answer_encrypted from answered_request where key_hash = $1',
    [hashToken(key)],
  )
  return rows
}
