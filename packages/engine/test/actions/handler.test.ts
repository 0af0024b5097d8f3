import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, GREET, startActions } from '../support/actions.ts'
import { ADMIN_SECRET } from '../support/start-engine.ts'

let actions: Actions

beforeAll(async () => {
  actions = await startActions()
})
afterAll(() => actions?.stop())
beforeEach(() => actions.reset())

describe('an action sends its handler the request and the session', () => {
  test("a handler gets the action's name, the input, the session and the query", async () => {
    actions.reply = () => ({ status: 200, body: { text: 'hi' } })
    const query =
      'mutation ($age: Int, $loud: Boolean) { greet(who: {name: "Ada", age: $age}, loud: $loud) { text } }'
    const answer = await actions.engine.graphql(query, { age: 3 }, asUser)
    expect(answer.body).toEqual({ data: { greet: { text: 'hi' } } })
    expect(actions.handler.received[0]).toMatchObject({
      method: 'POST',
      url: '/greet',
      headers: {
        token: 'from the environment',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      },
    })
    expect(actions.handler.received[0]?.body).toEqual({
      action: { name: 'greet' },
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
      input: { who: { name: 'Ada', age: 3 } },
      request_query: query,
    })
    expect(actions.handler.received[0]?.headers['x-hasura-admin-secret']).toBeUndefined()
  })

  test('a handler gets client headers only if they are forwarded, and never the admin secret', async () => {
    actions.reply = () => ({ status: 200, body: [] })
    const clientHeaders = { ...asUser, 'x-mine': 'm', cookie: 'c=1', 'x-request-id': 'r' }
    await actions.engine.graphql('{ greet_all { text } }', {}, clientHeaders)
    expect(actions.handler.received[0]?.headers).toMatchObject({
      'x-mine': 'm',
      cookie: 'c=1',
      'x-request-id': 'r',
    })
    expect(JSON.stringify(actions.handler.received[0])).not.toContain(ADMIN_SECRET)
    actions.reply = () => ({ status: 200, body: { text: 'hi' } })
    await actions.engine.graphql(GREET, {}, clientHeaders)
    expect(actions.handler.received[1]?.headers['x-mine']).toBeUndefined()
  })

  test("client headers and the engine's headers override configured headers, and three client headers are renamed to X-Forwarded", async () => {
    actions.reply = () => ({ status: 200, body: [] })
    const clientHeaders = {
      ...asUser,
      'x-mine': 'client',
      'user-agent': 'browser',
      origin: 'http://here',
      referer: 'http://here/page',
      'x-forwarded-host': 'elsewhere',
    }
    await actions.engine.graphql('{ greet_all { text } }', {}, clientHeaders)
    const { headers } = actions.handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({
      'x-mine': 'client',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^hasura-graphql-engine\//),
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-origin': 'http://here',
      'x-forwarded-host': new URL(actions.engine.url).host,
    })
    expect(Object.keys(headers).filter((name) => /^x-hasura|^referer|^origin/.test(name))).toEqual(
      [],
    )
  })

  test('a list of ignored client headers replaces the default list', async () => {
    actions.reply = () => ({ status: 200, body: 1 })
    const clientHeaders = {
      ...asUser,
      'x-mine': 'm',
      cookie: 'c=1',
      referer: 'r',
      'user-agent': 'browser',
    }
    await actions.engine.graphql('{ choosy }', {}, clientHeaders)
    const { headers } = actions.handler.received[0] ?? { headers: {} }
    expect(headers).toMatchObject({ referer: 'r', 'user-agent': 'browser' })
    expect(Object.keys(headers).filter((name) => /^(x-mine|cookie|x-hasura)/.test(name))).toEqual(
      [],
    )
  })

  test('only permitted roles and admin can call an action', async () => {
    actions.reply = () => ({ status: 200, body: 1 })
    expect((await actions.engine.graphql('mutation { count }')).body).toEqual({
      data: { count: 1 },
    })
    expect((await actions.engine.graphql('mutation { count }', {}, asUser)).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
    expect(actions.handler.received).toHaveLength(1)
  })

  test.each([
    ['a missing argument', 'mutation { greet { text } }'],
    ['an undeclared argument', 'mutation { greet(who: {name: "a"}, x: 1) { text } }'],
    ['a field of the wrong type', 'mutation { greet(who: {name: 1}) { text } }'],
    ['an undeclared field', 'mutation { greet(who: {name: "a", x: 1}) { text } }'],
    ['null for a non-null argument', 'mutation { greet(who: null) { text } }'],
  ])('a handler is not called with %s', async (_what, query) => {
    const answer = await actions.engine.graphql(query, {}, asUser)
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    expect(actions.handler.received).toHaveLength(0)
  })

  test('a client gets the cookies that a handler sets', async () => {
    actions.reply = () => ({
      status: 200,
      body: { text: 'hi' },
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    })
    const answer = await actions.engine.graphql(GREET, {}, asUser)
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test("a request transformation can change the method and URL of a handler's request", async () => {
    actions.reply = () => ({ status: 200, body: 3 })
    expect((await actions.engine.graphql('{ search(q: "a b") }', {}, asUser)).body).toEqual({
      data: { search: 3 },
    })
    expect((await actions.engine.graphql('{ search }', {}, asUser)).body).toEqual({
      data: { search: 3 },
    })
    expect(actions.handler.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /search?q=a%20b',
      'GET /search',
    ])
  })

  test('a mutation calls the handlers of its root fields one after another', async () => {
    let active = 0
    let most = 0
    actions.reply = () => {
      active += 1
      most = Math.max(most, active)
      const after = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        active -= 1
      })
      return { status: 200, body: { text: 'hi' }, after }
    }
    await actions.engine.graphql(
      'mutation { a: greet(who: {name: "a"}) { text } b: greet(who: {name: "b"}) { text } }',
      {},
      asUser,
    )
    expect(actions.handler.received).toHaveLength(2)
    expect(most).toBe(1)
  })
})
