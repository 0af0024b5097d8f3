import { readFileSync } from 'node:fs'
import { Kind, parse } from 'graphql'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import { readDocumentedOperations } from '../support/documented-operations.ts'
import { type Person, peopleOf } from '../support/webhooks/people.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// Runs docs/graphql.md from top to bottom on the demo data.

const ACTION = 'action_00000000000000000000000000000001'
const PEOPLE = 2_500

const page = readFileSync('docs/graphql.md', 'utf8')
const [withKey = '', asPerson = ''] = page.split('\n## As a person')

let platform: TestPlatform
let apiKey: string
let person: Person

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  }))
  const { query } = platform.db
  await query(`begin; ${readFileSync('hasura/seeds/default/demo.sql', 'utf8')} commit`)
  // Many rows have the same time, so that a page can end between them.
  await query(
    `insert into nullifier (action_id, nullifier_hash, created_at)
    select '${ACTION}', '0x' || lpad(to_hex(n), 64, '0'), timestamptz '2026-01-01' + n / 700 * interval '1 s'
    from generate_series(1, ${PEOPLE}) n`,
  )
  const team = await platform.team()
  await query(`alter table api_key disable trigger keep_team_id`)
  await query(
    `update api_key set team_id = 'team_00000000000000000000000000000001' where id = $1`,
    [team.keyId],
  )
  apiKey = team.apiKey
  person = await peopleOf(platform)()
  await query(
    "insert into membership (team_id, user_id) values ('team_00000000000000000000000000000001', $1)",
    [person.id],
  )
})
afterAll(() => platform.stop())

test('the first curl request of docs/graphql.md returns the apps', async () => {
  const [, body = ''] = / -d '(.*)'/.exec(withKey) ?? []
  const { data } = await send(JSON.parse(body))
  expect(data.app.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'Demo app',
    'Hola Mundo',
  ])
})

describe('the operations of docs/graphql.md run with an API key', () => {
  const exampleValues = new Map<unknown, string>([
    ['team_…', 'team_00000000000000000000000000000001'],
  ])

  beforeAll(async () => {
    exampleValues.set('usr_…', person.id)
    exampleValues.set('token of the registration', 'a token')
    const { rows } = await platform.db.query(
      `select app_id from register_client('Shop', '["https://rp.example/callback"]', 'web', '["code"]', null, $1)`,
      [hashToken('a token')],
    )
    exampleValues.set('app_staging_…', rows[0].app_id)
  })

  test.each(readDocumentedOperations(withKey).filter(({ kind }) => kind !== 'subscription'))(
    '$name returns data with an API key',
    async ({ query, variables }) => {
      const values = Object.entries(variables).map(([name, value]) => [
        name,
        exampleValues.get(value) ?? value,
      ])
      expect(await send({ query, variables: Object.fromEntries(values) })).toEqual({
        data: filled(),
      })
    },
  )

  test('the query Page returns every row, page by page', async () => {
    const { query, variables } = operation('Page')
    const nullifierHashes = new Set<string>()
    for (let cursor = {}; ; ) {
      const { data } = await send({ query, variables: { ...variables, ...cursor } })
      for (const { nullifier_hash } of data.nullifier) nullifierHashes.add(nullifier_hash)
      const last = data.nullifier.at(-1)
      if (!last) break
      cursor = { created_at: last.created_at, nullifier_hash: last.nullifier_hash }
    }
    expect(nullifierHashes.size).toBe(PEOPLE)
  })

  test('a subscription returns existing nullifiers and then new ones', async () => {
    const client = createClient({
      url: `${platform.baseUrl.replace('http', 'ws')}/v1/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { headers: { Authorization: `Bearer ${apiKey}` } },
    })
    const { query, variables } = operation('New')
    const batches = client.iterate<{ nullifier_stream: { nullifier_hash: string }[] }>({
      query,
      variables,
    })
    let receivedCount = 0
    // The subscription returns only rows later than `since`, which is the time of the first rows.
    while (receivedCount < PEOPLE - 699)
      receivedCount += (await batches.next()).value.data.nullifier_stream.length
    const hash = `0x${'f'.repeat(64)}`
    await platform.db.query('insert into nullifier (action_id, nullifier_hash) values ($1, $2)', [
      ACTION,
      hash,
    ])
    const { value } = await batches.next()
    expect(value.data.nullifier_stream).toMatchObject([{ nullifier_hash: hash }])
    await batches.return?.()
    await client.dispose()
  })
})

describe('the operations of docs/graphql.md run as a person', () => {
  const ids = new Map<unknown, string>()

  beforeAll(async () => {
    const { rows } = await platform.db.query(
      'insert into login (user_id) values ($1) returning id',
      [person.id],
    )
    ids.set('login_…', rows[0].id)
    ids.set('team_…', person.team)
    ids.set('usr_…', person.id)
  })

  test.each(readDocumentedOperations(asPerson))(
    '$name returns data as a person',
    async ({ query, variables }) => {
      const exampleValues = Object.entries(variables).map(([name, value]) => [
        name,
        ids.get(value) ?? value,
      ])
      const answer = await person.graphql(query, Object.fromEntries(exampleValues))
      expect(answer).toEqual({ data: filled() })
      const createdKeyId = answer.data.create_api_key?.id
      if (createdKeyId) ids.set('key_…', createdKeyId)
    },
  )
})

test('an unverified person reads their own account as docs/graphql.md says', async () => {
  const email = 'unverified@example.com'
  const account = { email, password: 'difference', name: 'Person', team_name: 'Team' }
  const { body } = await platform.post('/api/v1/signup', account)
  const headers = { authorization: `Bearer ${Object(body).token}` }
  const { query } = operation('Me')
  expect((await platform.post('/v1/graphql', { query }, headers)).body).toEqual({
    data: {
      user: [
        {
          id: expect.stringMatching(/^usr_/),
          name: 'Person',
          email,
          email_verified_at: null,
        },
      ],
    },
  })
})

test('every operation of docs/graphql.md has a unique name', () => {
  const names = readDocumentedOperations(page).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('every operation of docs/graphql.md has values for all its variables', () => {
  for (const { query, variables } of readDocumentedOperations(page)) {
    const [definition] = parse(query).definitions
    const declared =
      definition?.kind === Kind.OPERATION_DEFINITION
        ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
        : []
    expect(Object.keys(variables).toSorted()).toEqual(declared.toSorted())
  }
})

/** Matches data if no root field is null or an empty list. */
function filled() {
  return expect.toSatisfy((data) =>
    Object.values(Object(data)).every(
      (value) => value !== null && (!Array.isArray(value) || value.length > 0),
    ),
  )
}

function operation(name: string) {
  const operation = readDocumentedOperations(page).find((each) => each.name === name)
  if (!operation) throw new Error(`docs/graphql.md has no operation ${name}`)
  return operation
}

const Answer = z.object({ data: z.any(), errors: z.any() }).partial()

async function send(body: object) {
  const reply = await platform.post('/v1/graphql', body, { authorization: `Bearer ${apiKey}` })
  return Answer.parse(reply.body)
}
