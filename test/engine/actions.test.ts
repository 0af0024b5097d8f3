import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { type Received, type Receiver, type Replied, receiver } from './receiver.ts'
import { ready } from './socket.ts'
import { ADMIN_SECRET, type RunningEngine, startEngine } from './start-engine.ts'

let db: Database
let handler: Receiver
let engine: RunningEngine
let reply: (request: Received) => Replied

const ENVIRONMENT = () => ({
  HANDLER: handler.url,
  TOKEN: 'from the environment',
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
})

beforeAll(async () => {
  db = await database()
  handler = await receiver((request) => reply(request))
  engine = await startEngine(db.url, ENVIRONMENT())
  await engine.post(
    '/v2/query',
    runSql(`create table person (id int primary key, name text, secret text);
    create table visit (id int primary key, person_id int, price numeric);
    insert into person values (1, 'Ada', 's'), (2, 'Bob', 't');
    insert into visit values (10, 1, 1.50), (11, 1, 123456789012345678.25)`),
  )
  const accepted = await engine.post('/v1/metadata', replace(METADATA))
  if (accepted.status !== 200) throw new Error(accepted.text)
})

afterAll(async () => {
  await engine.stop()
  await handler.close()
  await db.drop()
})

beforeEach(() => {
  reply = () => ({ status: 200, body: null })
  handler.received.length = 0
})

const action = (name: string, definition: object, roles: string[] = ['user']) => ({
  name,
  definition: {
    kind: 'synchronous',
    handler: `{{HANDLER}}/${name}`,
    type: 'mutation',
    ...definition,
  },
  permissions: roles.map((role) => ({ role })),
})

const GREETING = [
  { name: 'who', type: 'Who!' },
  { name: 'loud', type: 'Boolean' },
]

const reads = (columns: string[], filter: object = {}) => ({
  select_permissions: [{ role: 'user', permission: { columns, filter, allow_aggregations: true } }],
})

const PERSON = {
  name: 'person',
  type: 'object',
  remote_table: { schema: 'public', name: 'person' },
  field_mapping: { person_id: 'id' },
}

const METADATA = metadata(
  [
    table('person', reads(['id', 'name'], { name: { _neq: 'Bob' } })),
    table('visit', reads(['id', 'person_id', 'price'])),
  ],
  {
    actions: [
      action('greet', {
        arguments: GREETING,
        output_type: 'Greeting!',
        headers: [{ name: 'token', value_from_env: 'TOKEN' }],
      }),
      action('greet_all', {
        type: 'query',
        output_type: '[Greeting!]!',
        forward_client_headers: true,
        headers: [
          { name: 'X-Mine', value: 'configured' },
          { name: 'content-type', value: 'text/plain' },
        ],
      }),
      action('count', { output_type: 'Int!' }, []),
      action('slow', { output_type: 'Int!', timeout: 1 }),
      action('search', {
        type: 'query',
        arguments: [{ name: 'q', type: 'String' }],
        output_type: 'Int!',
        request_transform: {
          version: 2,
          method: 'GET',
          query_params: { q: '{{$body.input?.q}}' },
          body: { action: 'remove' },
        },
      }),
      action('ask', { type: undefined, kind: '', output_type: 'jsonb!' }),
      action('own', { type: 'query', output_type: 'Own' }),
      action('owns', { type: 'query', output_type: '[Own!]!' }),
      action('changed', {
        type: 'query',
        output_type: 'Greeting',
        response_transform: {
          version: 2,
          body: {
            action: 'transform',
            template:
              '{"text": "{{$body.words[1]}} of {{$session_variables[\'x-hasura-user-id\']}}, {{$response.status}}", "message": "{{$body.words[1]}} of {{$session_variables[\'x-hasura-user-id\']}}, {{$response.status}}", "person_id": {{size($body.words)}}}',
          },
        },
      }),
      action('choosy', {
        type: 'query',
        output_type: 'Int!',
        forward_client_headers: true,
        ignored_client_headers: ['X-Mine', 'cookie'],
      }),
      action('later', {
        kind: 'asynchronous',
        arguments: [{ name: 'who', type: 'Who!' }],
        output_type: 'Farewell!',
      }),
    ],
    custom_types: {
      scalars: [{ name: 'Own' }],
      input_objects: [
        {
          name: 'Who',
          fields: [
            { name: 'name', type: 'String!' },
            { name: 'age', type: 'Int' },
          ],
        },
      ],
      objects: [
        {
          name: 'Greeting',
          fields: [
            { name: 'text', type: 'String!' },
            { name: 'person_id', type: 'Int' },
            { name: 'more', type: 'More' },
          ],
          relationships: [
            PERSON,
            {
              name: 'visits',
              type: 'array',
              remote_table: { schema: 'public', name: 'visit' },
              field_mapping: { person_id: 'person_id' },
            },
          ],
        },
        {
          name: 'Farewell',
          fields: [
            { name: 'text', type: 'String!' },
            { name: 'person_id', type: 'Int' },
          ],
          relationships: [PERSON],
        },
        { name: 'More', fields: [{ name: 'n', type: 'Int!' }] },
      ],
    },
  },
)

const asUser = { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' }
const GREET = 'mutation { greet(who: {name: "Ada"}) { text } }'

describe('the handler of an action', () => {
  test('is told the name, the input, the session and the document', async () => {
    reply = () => ({ status: 200, body: { text: 'hi' } })
    const query =
      'mutation ($age: Int, $loud: Boolean) { greet(who: {name: "Ada", age: $age}, loud: $loud) { text } }'
    const answer = await engine.graphql(query, { age: 3 }, asUser)
    expect(answer.body).toEqual({ data: { greet: { text: 'hi' } } })
    expect(handler.received[0]).toMatchObject({
      method: 'POST',
      url: '/greet',
      headers: {
        token: 'from the environment',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      },
    })
    expect(handler.received[0]?.body).toEqual({
      action: { name: 'greet' },
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
      input: { who: { name: 'Ada', age: 3 } },
      request_query: query,
    })
    expect(handler.received[0]?.headers['x-hasura-admin-secret']).toBeUndefined()
  })

  test("gets the client's headers only where it is said, and never the secret", async () => {
    reply = () => ({ status: 200, body: [] })
    const own = { ...asUser, 'x-mine': 'm', cookie: 'c=1', 'x-request-id': 'r' }
    await engine.graphql('{ greet_all { text } }', {}, own)
    expect(handler.received[0]?.headers).toMatchObject({
      'x-mine': 'm',
      cookie: 'c=1',
      'x-request-id': 'r',
    })
    expect(JSON.stringify(handler.received[0])).not.toContain(ADMIN_SECRET)
    reply = () => ({ status: 200, body: { text: 'hi' } })
    await engine.graphql(GREET, {}, own)
    expect(handler.received[1]?.headers['x-mine']).toBeUndefined()
  })

  test("gets one header of a name, the client's before ours and ours before its own", async () => {
    reply = () => ({ status: 200, body: [] })
    const own = {
      ...asUser,
      'x-mine': 'client',
      'user-agent': 'browser',
      origin: 'http://here',
      referer: 'http://here/page',
      'x-forwarded-host': 'elsewhere',
    }
    await engine.graphql('{ greet_all { text } }', {}, own)
    const { headers } = handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({
      'x-mine': 'client',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-origin': 'http://here',
      'x-forwarded-host': new URL(engine.url).host,
    })
    expect(Object.keys(headers).filter((name) => /^x-hasura|^referer|^origin/.test(name))).toEqual(
      [],
    )
  })

  test("may name the client's headers that it does not get, instead of the usual ones", async () => {
    reply = () => ({ status: 200, body: 1 })
    const own = { ...asUser, 'x-mine': 'm', cookie: 'c=1', referer: 'r', 'user-agent': 'browser' }
    await engine.graphql('{ choosy }', {}, own)
    const { headers } = handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({ referer: 'r', 'user-agent': 'browser' })
    expect(Object.keys(headers).filter((name) => /^(x-mine|cookie|x-hasura)/.test(name))).toEqual(
      [],
    )
  })

  test('is called by those who are permitted, and admin', async () => {
    reply = () => ({ status: 200, body: 1 })
    expect((await engine.graphql('mutation { count }')).body).toEqual({ data: { count: 1 } })
    expect((await engine.graphql('mutation { count }', {}, asUser)).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
    expect(handler.received).toHaveLength(1)
  })

  test.each([
    ['an argument that is missing', 'mutation { greet { text } }'],
    ['an argument that is not declared', 'mutation { greet(who: {name: "a"}, x: 1) { text } }'],
    ['a field of the wrong type', 'mutation { greet(who: {name: 1}) { text } }'],
    ['a field that is not declared', 'mutation { greet(who: {name: "a", x: 1}) { text } }'],
    ['null for what must not be', 'mutation { greet(who: null) { text } }'],
  ])('is not called with %s', async (_what, query) => {
    const answer = await engine.graphql(query, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    expect(handler.received).toHaveLength(0)
  })

  test('may set cookies at the client', async () => {
    reply = () => ({ status: 200, body: { text: 'hi' }, headers: { 'set-cookie': ['a=1', 'b=2'] } })
    const answer = await engine.graphql(GREET, {}, asUser)
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test('may be asked in its own way', async () => {
    reply = () => ({ status: 200, body: 3 })
    expect((await engine.graphql('{ search(q: "a b") }', {}, asUser)).body).toEqual({
      data: { search: 3 },
    })
    expect((await engine.graphql('{ search }', {}, asUser)).body).toEqual({ data: { search: 3 } })
    expect(handler.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /search?q=a+b',
      'GET /search',
    ])
  })

  test('is called for one root field after the other in a mutation', async () => {
    let running = 0
    let most = 0
    reply = () => {
      running += 1
      most = Math.max(most, running)
      const after = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        running -= 1
      })
      return { status: 200, body: { text: 'hi' }, after }
    }
    await engine.graphql(
      'mutation { a: greet(who: {name: "a"}) { text } b: greet(who: {name: "b"}) { text } }',
      {},
      asUser,
    )
    expect(handler.received).toHaveLength(2)
    expect(most).toBe(1)
  })
})

describe('what a handler answers', () => {
  test('is cut to what was asked for, in its order', async () => {
    reply = () => ({ status: 200, body: { more: { n: 1, x: 2 }, text: 'hi', extra: true } })
    const query = 'mutation { greet(who: {name: "a"}) { __typename t: text more { n } person_id } }'
    expect((await engine.graphql(query, {}, asUser)).text).toBe(
      '{"data":{"greet":{"__typename":"Greeting","t":"hi","more":{"n":1},"person_id":null}}}',
    )
  })

  test.each([
    ['null', null, 'got null for the action webhook response'],
    ['a list', [], 'got array for the action webhook response, expecting Greeting'],
    ['a text', 'x', 'got scalar String for the action webhook response, expecting Greeting'],
    [
      'no value for a field that must have one',
      {},
      'field "text" expected in webhook response, but not found',
    ],
    ['null for such a field', { text: null }, 'expecting not null value for field "text"'],
    [
      'a number for a text',
      { text: 1 },
      'got scalar Number for the action webhook response, expecting String',
    ],
    [
      'a wrong value further down',
      { text: 'a', more: { n: 'x' } },
      'got scalar String for the action webhook response, expecting Int',
    ],
  ])('is refused when it is %s', async (_what, body, message) => {
    reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await engine.graphql(GREET, {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message, extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test.each([
    ['an object', { text: 'a' }, 'expecting array for the action webhook response'],
    [
      'a list of texts',
      ['a'],
      'got scalar String for the action webhook response, expecting Greeting',
    ],
    ['a list with null', [null], 'got null for the action webhook response'],
  ])('is refused when a list was promised and it is %s', async (_what, body, message) => {
    reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await engine.graphql('{ greet_all { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message, extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test('is refused when it is an object in the place of a scalar', async () => {
    reply = () => ({ status: 200, body: { n: 1 } })
    const answer = await engine.graphql('mutation { count }')
    expect(answer.body).toMatchObject({
      errors: [{ message: 'got object for the action webhook response, expecting Int' }],
    })
  })

  test.each([
    ['no message', { code: 'x' }, '$.message'],
    ['a list', [], '$'],
    ['no text', { message: 1 }, '$.message'],
    ['a code that is no text', { message: 'no', code: 1 }, '$.code'],
  ])('with 4xx and %s is no error of its own', async (_what, body, path) => {
    reply = () => ({ status: 400, body: JSON.stringify(body) })
    const answer = await engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'parse-failed', path } }] })
  })

  test.each([
    ['an object', { a: [1] }],
    ['a list', [{ a: 1 }, 'x']],
    ['a text', 'x'],
  ])('of a scalar that is not of GraphQL may be %s, and is not cut', async (_what, body) => {
    reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await engine.graphql('{ ask own }', {}, asUser)
    expect(answer.body).toEqual({ data: { ask: body, own: body } })
  })

  test('of a list of such scalars must be a list', async () => {
    reply = () => ({ status: 200, body: { a: 1 } })
    const answer = await engine.graphql('{ owns }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'expecting array for the action webhook response' }],
    })
  })

  test('is what its transformation makes of it', async () => {
    reply = () => ({ status: 201, body: { words: ['a', 'b'] } })
    const answer = await engine.graphql('{ changed { text person_id } }', {}, asUser)
    expect(answer.body).toEqual({ data: { changed: { text: 'b of 7, 201', person_id: 2 } } })
  })

  test('is transformed when it is a refusal too', async () => {
    reply = () => ({ status: 400, body: { words: ['x', 'no'] } })
    const answer = await engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message: 'no of 7, 400', extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test('that its transformation cannot use is unexpected', async () => {
    reply = () => ({ status: 200, body: { words: 1 } })
    const answer = await engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [
        {
          message: 'Response Transformation Failed',
          extensions: { path: '$', code: 'unexpected' },
        },
      ],
    })
  })

  test('of an earlier action stays when a later change of the database fails', async () => {
    reply = () => ({ status: 200, body: 1 })
    const query = 'mutation { count insert_visit_one(object: {id: 10}) { id } }'
    const answer = await engine.graphql(query)
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    })
    expect(handler.received.length).toBeLessThanOrEqual(1)
  })

  test('is refused when it is no JSON', async () => {
    reply = () => ({ status: 200, body: '<html>' })
    const answer = await engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'not a valid json response from webhook' }],
    })
  })

  test.each([
    ['a message alone', { message: 'no' }, { path: '$', code: 'unexpected' }],
    ['a code', { message: 'no', code: 'mine' }, { path: '$', code: 'mine' }],
    [
      'extensions, which are all there is',
      { message: 'no', code: 'x', extensions: { a: 1 } },
      { a: 1 },
    ],
  ])('with 4xx is an error of its own: %s', async (_what, body, extensions) => {
    reply = () => ({ status: 422, body })
    for (const asker of [asUser, {}]) {
      const answer = await engine.graphql(GREET, {}, asker)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ errors: [{ message: 'no', extensions }] })
    }
  })

  test.each([500, 302])('with %i is an internal error', async (status) => {
    reply = () => ({ status, body: { message: 'no' } })
    const answer = await engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'internal error', extensions: { code: 'unexpected' } }],
    })
  })

  test('must come in time', async () => {
    reply = () => ({ status: 200, body: 1, after: new Promise(() => {}) })
    const answer = await engine.graphql('mutation { slow }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'http exception when calling webhook' }],
    })
  })

  test('that went wrong is shown to admin, without secrets', async () => {
    reply = () => ({ status: 500 })
    const answer = await engine.graphql(GREET)
    expect(answer.body).toMatchObject({
      errors: [
        {
          extensions: {
            internal: { request: { url: '{{HANDLER}}/greet' }, response: { status: 500 } },
          },
        },
      ],
    })
    expect(answer.text).not.toContain('from the environment')
  })
})

describe('rows that belong to an answer', () => {
  const query =
    '{ greet_all { text person { id name } visits(order_by: {id: desc}) { id price } visits_aggregate { aggregate { count } } } }'

  test('are joined under the permissions of the role, numbers untouched', async () => {
    const greetings = [1, 2, null].map((person_id) => ({ text: String(person_id), person_id }))
    reply = () => ({ status: 200, body: greetings })
    const answer = await engine.graphql(query, {}, asUser)
    const text = answer.text.replaceAll(/\s/g, '')
    expect(text).toContain(
      '"person":{"id":1,"name":"Ada"},"visits":[{"id":11,"price":123456789012345678.25},{"id":10,"price":1.50}]',
    )
    expect(text).toContain('{"text":"2","person":null,"visits":[]')
    expect(text).toContain('{"text":"null","person":null,"visits":[]')
  })

  test.each([
    ['text', '{ greet_all { text(x: 1) } }'],
    ['person', '{ greet_all { person(limit: 1) { id } } }'],
  ])('take no arguments that %s does not have', async (field, query) => {
    const answer = await engine.graphql(query, {}, asUser)
    const path = `$.selectionSet.greet_all.selectionSet.${field}`
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed', path } }],
    })
    expect(handler.received).toHaveLength(0)
  })

  test('have no more columns than the role may read', async () => {
    const answer = await engine.graphql('{ greet_all { person { secret } } }', {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    expect(handler.received).toHaveLength(0)
  })

  test('a value that does not fit the column is data-exception', async () => {
    reply = () => ({ status: 200, body: [{ text: 'x', person_id: 99_999_999_999 }] })
    const answer = await engine.graphql(query, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
  })
})

describe('an asynchronous action', () => {
  const START = 'mutation { later(who: {name: "Ada"}) }'
  const RESULT =
    'query ($id: uuid!) { later(id: $id) { id errors output { text person { name } } } }'

  async function started(headers = asUser): Promise<string> {
    const { text } = await engine.graphql(START, {}, headers)
    return text.slice('{"data":{"later":"'.length, -'"}}'.length)
  }

  test('answers an id at once, and the result when it is there', async () => {
    reply = () => ({ status: 200, body: { text: 'hi', person_id: 1 } })
    const id = await started()
    const done = {
      data: { later: { id, errors: null, output: { text: 'hi', person: { name: 'Ada' } } } },
    }
    await expect.poll(async () => (await engine.graphql(RESULT, { id }, asUser)).body).toEqual(done)
    expect(handler.received[0]?.body).toMatchObject({
      input: { who: { name: 'Ada' } },
      request_query: null,
    })
  })

  test('keeps what the handler refuses', async () => {
    reply = () => ({ status: 400, body: { message: 'no', code: 'mine' } })
    const id = await started()
    const refused = {
      data: { later: { id, errors: { error: 'no', path: '$', code: 'mine' }, output: null } },
    }
    await expect
      .poll(async () => (await engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual(refused)
  })

  test('shows its result to nobody else but admin', async () => {
    reply = () => ({ status: 200, body: { text: 'hi' } })
    const id = await started()
    const other = { ...asUser, 'x-hasura-user-id': '8' }
    expect((await engine.graphql(RESULT, { id }, other)).body).toEqual({ data: { later: null } })
    expect((await engine.graphql(RESULT, { id })).body).toMatchObject({ data: { later: { id } } })
  })

  test('can be watched', async () => {
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    reply = () => ({ status: 200, body: { text: 'hi' }, after })
    const id = await started()
    const ws = await ready(engine.url, { 'x-hasura-admin-secret': ADMIN_SECRET, ...asUser })
    const query = RESULT.replace('query', 'subscription')
    ws.send({ type: 'subscribe', id: 'w', payload: { query, variables: { id } } })
    const told = (output: unknown) => ({
      type: 'next',
      id: 'w',
      payload: { data: { later: { id, errors: null, output } } },
    })
    expect(await ws.next()).toEqual(told(null))
    answer()
    expect(await ws.next()).toEqual(told({ text: 'hi', person: null }))
    ws.ws.terminate()
  })

  test('survives its engine being killed while the handler works', async () => {
    const second = await startEngine(db.url, ENVIRONMENT())
    await engine.stop('SIGKILL')
    reply = () => ({ status: 200, body: { text: 'never' }, after: new Promise(() => {}) })
    const answer = await second.graphql(START, {}, asUser)
    await handler.count(1)
    await second.stop('SIGKILL')
    reply = () => ({ status: 200, body: { text: 'again' } })
    engine = await startEngine(db.url, ENVIRONMENT())
    const id = answer.text.slice('{"data":{"later":"'.length, -'"}}'.length)
    const done = { data: { later: { id, errors: null, output: { text: 'again', person: null } } } }
    await expect
      .poll(async () => (await engine.graphql(RESULT, { id }, asUser)).body, { timeout: 10_000 })
      .toEqual(done)
  })
})
