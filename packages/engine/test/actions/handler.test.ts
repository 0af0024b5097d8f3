import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, GREET, startActions } from '../support/actions.ts'
import { ADMIN_SECRET } from '../support/start-engine.ts'

let on: Actions

beforeAll(async () => {
  on = await startActions()
})
afterAll(() => on?.stop())
beforeEach(() => on.reset())

describe('the handler of an action', () => {
  test('is told the name, the input, the session and the document', async () => {
    on.reply = () => ({ status: 200, body: { text: 'hi' } })
    const query =
      'mutation ($age: Int, $loud: Boolean) { greet(who: {name: "Ada", age: $age}, loud: $loud) { text } }'
    const answer = await on.engine.graphql(query, { age: 3 }, asUser)
    expect(answer.body).toEqual({ data: { greet: { text: 'hi' } } })
    expect(on.handler.received[0]).toMatchObject({
      method: 'POST',
      url: '/greet',
      headers: {
        token: 'from the environment',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      },
    })
    expect(on.handler.received[0]?.body).toEqual({
      action: { name: 'greet' },
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
      input: { who: { name: 'Ada', age: 3 } },
      request_query: query,
    })
    expect(on.handler.received[0]?.headers['x-hasura-admin-secret']).toBeUndefined()
  })

  test("gets the client's headers only where it is said, and never the secret", async () => {
    on.reply = () => ({ status: 200, body: [] })
    const own = { ...asUser, 'x-mine': 'm', cookie: 'c=1', 'x-request-id': 'r' }
    await on.engine.graphql('{ greet_all { text } }', {}, own)
    expect(on.handler.received[0]?.headers).toMatchObject({
      'x-mine': 'm',
      cookie: 'c=1',
      'x-request-id': 'r',
    })
    expect(JSON.stringify(on.handler.received[0])).not.toContain(ADMIN_SECRET)
    on.reply = () => ({ status: 200, body: { text: 'hi' } })
    await on.engine.graphql(GREET, {}, own)
    expect(on.handler.received[1]?.headers['x-mine']).toBeUndefined()
  })

  test("gets one header of a name, the client's before ours and ours before its own", async () => {
    on.reply = () => ({ status: 200, body: [] })
    const own = {
      ...asUser,
      'x-mine': 'client',
      'user-agent': 'browser',
      origin: 'http://here',
      referer: 'http://here/page',
      'x-forwarded-host': 'elsewhere',
    }
    await on.engine.graphql('{ greet_all { text } }', {}, own)
    const { headers } = on.handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({
      'x-mine': 'client',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-origin': 'http://here',
      'x-forwarded-host': new URL(on.engine.url).host,
    })
    expect(Object.keys(headers).filter((name) => /^x-hasura|^referer|^origin/.test(name))).toEqual(
      [],
    )
  })

  test("may name the client's headers that it does not get, instead of the usual ones", async () => {
    on.reply = () => ({ status: 200, body: 1 })
    const own = { ...asUser, 'x-mine': 'm', cookie: 'c=1', referer: 'r', 'user-agent': 'browser' }
    await on.engine.graphql('{ choosy }', {}, own)
    const { headers } = on.handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({ referer: 'r', 'user-agent': 'browser' })
    expect(Object.keys(headers).filter((name) => /^(x-mine|cookie|x-hasura)/.test(name))).toEqual(
      [],
    )
  })

  test('is called by those who are permitted, and admin', async () => {
    on.reply = () => ({ status: 200, body: 1 })
    expect((await on.engine.graphql('mutation { count }')).body).toEqual({ data: { count: 1 } })
    expect((await on.engine.graphql('mutation { count }', {}, asUser)).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
    expect(on.handler.received).toHaveLength(1)
  })

  test.each([
    ['an argument that is missing', 'mutation { greet { text } }'],
    ['an argument that is not declared', 'mutation { greet(who: {name: "a"}, x: 1) { text } }'],
    ['a field of the wrong type', 'mutation { greet(who: {name: 1}) { text } }'],
    ['a field that is not declared', 'mutation { greet(who: {name: "a", x: 1}) { text } }'],
    ['null for what must not be', 'mutation { greet(who: null) { text } }'],
  ])('is not called with %s', async (_what, query) => {
    const answer = await on.engine.graphql(query, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    expect(on.handler.received).toHaveLength(0)
  })

  test('may set cookies at the client', async () => {
    on.reply = () => ({
      status: 200,
      body: { text: 'hi' },
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    })
    const answer = await on.engine.graphql(GREET, {}, asUser)
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test('may be called with a transformed request', async () => {
    on.reply = () => ({ status: 200, body: 3 })
    expect((await on.engine.graphql('{ search(q: "a b") }', {}, asUser)).body).toEqual({
      data: { search: 3 },
    })
    expect((await on.engine.graphql('{ search }', {}, asUser)).body).toEqual({
      data: { search: 3 },
    })
    expect(on.handler.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /search?q=a%20b',
      'GET /search',
    ])
  })

  test('is called for one root field after the other in a mutation', async () => {
    let running = 0
    let most = 0
    on.reply = () => {
      running += 1
      most = Math.max(most, running)
      const after = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        running -= 1
      })
      return { status: 200, body: { text: 'hi' }, after }
    }
    await on.engine.graphql(
      'mutation { a: greet(who: {name: "a"}) { text } b: greet(who: {name: "b"}) { text } }',
      {},
      asUser,
    )
    expect(on.handler.received).toHaveLength(2)
    expect(most).toBe(1)
  })
})
