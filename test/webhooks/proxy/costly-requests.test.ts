import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let otherTeam: typeof team

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  otherTeam = await platform.team()
})

describe('a GraphQL request has a limited size and must be JSON', () => {
  test('a request of the largest allowed size succeeds, although Hasura posts all of it to the auth hook', async () => {
    const reply = await platform.post('/v1/graphql', requestOfBytes(1_000_000), asTeam())
    expect(reply.body).toEqual({ data: { app: [] } })
  })

  test('a request above the largest allowed size gets 413', async () => {
    const reply = await platform.post('/v1/graphql', requestOfBytes(1_000_001), asTeam())
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/graphql',
    'application/json; charset=utf-16',
  ])('a request with the content type %s gets 415', async (type) => {
    const body = { query: '{ app { id } }' }
    const reply = await platform.post('/v1/graphql', body, { ...asTeam(), 'content-type': type })
    const error = { code: 'invalid_content_type', attribute: 'content-type' }
    expect(reply).toMatchObject({ status: 415, body: error })
  })
})

describe('a request that is too costly is rejected', () => {
  const deep = `{app{${'team{apps{'.repeat(8)}id${'}}'.repeat(8)}}}`
  const repeated = `{app{id}} ${Array.from({ length: 50_000 }, () => '#').join('')}`
  const endless = `{app(where:${'{_and:['.repeat(5_000)}${']}'.repeat(5_000)}){id}}`
  const repeatedKey = '{"query":"{team{id}}","query":"{app{id}}","variables":{}}'

  test.each<[string, unknown, string]>([
    ['a document that is too deep', { query: deep }, 'nested too deeply'],
    ['a document that is too long', { query: repeated }, 'too many bytes'],
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
      'too many subqueries, in a fragment that is spread twice',
      {
        query: `{a:team{...F} b:team{...F}} fragment F on team{apps(where:{_or:[${'{team:{name:{_eq:1}}} '.repeat(251)}]}){id}}`,
      },
      'too many subqueries: 502 > 500',
    ],
    ['too large a batch', Array(51).fill({ query: '{app{id}}' }), 'batch has too many requests'],
    ['a condition nested without end', { query: endless }, 'nested too deeply'],
    ['a body nested without end', `{"query":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 'deeply'],
    ['an invalid document', { query: '{' }, 'not a valid graphql query'],
    [
      'a document that is too deep in a batch',
      [{ query: '{app{id}}' }, { query: deep }],
      'nested too deeply',
    ],
  ])('a request with %s is rejected', async (_name, body, message) => {
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

  test('a GraphQL request that is not JSON gets invalid-json', async () => {
    const reply = await platform.post('/v1/graphql', '{"query":', asTeam())
    expect(reply.body).toMatchObject({ errors: [{ extensions: { code: 'invalid-json' } }] })
  })

  test('a request with a repeated key is checked and forwarded with the first value', async () => {
    const reply = await platform.post('/v1/graphql', repeatedKey, asTeam())
    expect(reply.body).toEqual({ data: { team: [{ id: team.id }] } })
  })
})

test('a caller that sends too many requests at once gets 429, and other callers get their responses', async () => {
  const instance = await platform.anotherInstance({ GRAPHQL_CONCURRENCY: '1' })
  const url = `${instance.baseUrl}/v1/graphql`
  const replies = Array.from({ length: 40 }, () => post(url, { query: '{app{id}}' }, asTeam()))
  const otherReply = await post(url, { query: '{team{id}}' }, asTeam(otherTeam))
  expect(otherReply.body).toEqual({ data: { team: [{ id: otherTeam.id }] } })
  const statuses = (await Promise.all(replies)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  await instance.stop()
})

/** Returns a request of this size: its variable is a very long name. */
function requestOfBytes(count: number): string {
  const query = 'query ($name: String) { app(where: {name: {_eq: $name}}) { id } }'
  const request = (name: string) => JSON.stringify({ query, variables: { name } })
  return request('x'.repeat(count - request('').length))
}

function asTeam({ apiKey } = team) {
  return { authorization: `Bearer ${apiKey}` }
}
