import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, GREET, startActions } from '../support/actions.ts'

const NO_TEXT = 'parsing Text failed, expected String, but encountered Number'

let actions: Actions

beforeAll(async () => {
  actions = await startActions()
})
afterAll(() => actions?.stop())
beforeEach(() => actions.reset())

describe('the engine checks and shapes the response of an action handler', () => {
  test('an action returns only the selected fields, in the order of the selection', async () => {
    actions.reply = () => ({ status: 200, body: { more: { n: 1, x: 2 }, text: 'hi', extra: true } })
    const query = 'mutation { greet(who: {name: "a"}) { __typename t: text more { n } person_id } }'
    expect((await actions.engine.graphql(query, {}, asUser)).text).toBe(
      '{"data":{"greet":{"__typename":"Greeting","t":"hi","more":{"n":1},"person_id":null}}}',
    )
  })

  test.each([
    ['null', null, 'got null for the action webhook response'],
    ['a list', [], 'got array for the action webhook response, expecting Greeting'],
    ['a text', 'x', 'got scalar String for the action webhook response, expecting Greeting'],
    ['a number', 5, 'got scalar String for the action webhook response, expecting Greeting'],
    [
      'an object without its non-null field',
      {},
      'field "text" expected in webhook response, but not found',
    ],
    [
      'an object with null in its non-null field',
      { text: null },
      'expecting not null value for field "text"',
    ],
  ])('a handler response that is %s is rejected', async (_what, body, message) => {
    actions.reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await actions.engine.graphql(GREET, {}, asUser)
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
  ])(
    'a handler response that is %s is rejected if a list was declared',
    async (_what, body, message) => {
      actions.reply = () => ({ status: 200, body: JSON.stringify(body) })
      const answer = await actions.engine.graphql('{ greet_all { text } }', {}, asUser)
      expect(answer.body).toEqual({
        errors: [{ message, extensions: { path: '$', code: 'unexpected' } }],
      })
    },
  )

  test("values of the wrong type in a handler's object are returned unchanged, as in Hasura", async () => {
    actions.reply = () => ({ status: 200, body: { text: 1, more: { n: 'x' } } })
    const query = 'mutation { greet(who: {name: "a"}) { text more { n } } }'
    expect((await actions.engine.graphql(query, {}, asUser)).body).toEqual({
      data: { greet: { text: 1, more: { n: 'x' } } },
    })
  })

  test("missing fields of a handler's object are null, and an object field with a scalar value is left out", async () => {
    const ask = async (more: unknown) => {
      actions.reply = () => ({ status: 200, body: { text: 'a', more } })
      const query = 'mutation { greet(who: {name: "a"}) { person_id more { n } } }'
      return (await actions.engine.graphql(query, {}, asUser)).body
    }
    expect(await ask({})).toEqual({ data: { greet: { person_id: null, more: { n: null } } } })
    expect(await ask(5)).toEqual({ data: { greet: { person_id: null } } })
    expect(await ask([5, { n: 1 }])).toEqual({
      data: { greet: { person_id: null, more: [{ n: 1 }] } },
    })
  })

  test('an object field of an action is left out if it is missing or selected by an alias', async () => {
    actions.reply = () => ({ status: 200, body: { text: 'a', more: { n: 1 } } })
    const aliased = 'mutation { greet(who: {name: "a"}) { t: text m: more { n } } }'
    const answer = await actions.engine.graphql(aliased, {}, asUser)
    expect(answer.body).toEqual({ data: { greet: { t: 'a' } } })
    actions.reply = () => ({ status: 200, body: { text: 'a' } })
    const query = 'mutation { greet(who: {name: "a"}) { text more { n } } }'
    expect((await actions.engine.graphql(query, {}, asUser)).body).toEqual({
      data: { greet: { text: 'a' } },
    })
  })

  test('a JSON response without selected fields is returned with sorted keys', async () => {
    actions.reply = () => ({ status: 200, body: { z: 1, a: { c: 1, b: [{ y: 1, x: 2 }] } } })
    expect((await actions.engine.graphql('{ weigh(unit: "g") }', {}, asUser)).text).toBe(
      '{"data":{"weigh":{"a":{"b":[{"x":2,"y":1}],"c":1},"z":1}}}',
    )
  })

  test('a handler that returns an object instead of a scalar is rejected', async () => {
    actions.reply = () => ({ status: 200, body: { n: 1 } })
    const answer = await actions.engine.graphql('mutation { count }')
    expect(answer.body).toMatchObject({
      errors: [{ message: 'got object for the action webhook response, expecting Int' }],
    })
  })

  test.each([
    ['no message', { code: 'x' }, '$', 'key "message" not found'],
    ['a list as its body', [], '$', 'expected Object, but encountered Array'],
    ['a message that is not a string', { message: 1 }, '$.message', NO_TEXT],
    ['a code that is not a string', { message: 'no', code: 1 }, '$.code', NO_TEXT],
  ])(
    'a 4xx response of a handler with %s is reported as parse-failed',
    async (_what, body, path, message) => {
      actions.reply = () => ({ status: 400, body: JSON.stringify(body) })
      const answer = await actions.engine.graphql(GREET, {}, asUser)
      expect(answer.body).toMatchObject({
        errors: [{ message, extensions: { code: 'parse-failed', path } }],
      })
    },
  )

  test.each([
    ['an object', { a: [1] }],
    ['a list', [{ a: 1 }, 'x']],
    ['a text', 'x'],
  ])('a custom scalar of an action can be %s, and is returned whole', async (_what, body) => {
    actions.reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await actions.engine.graphql('{ ask own }', {}, asUser)
    expect(answer.body).toEqual({ data: { ask: body, own: body } })
  })

  test('an action keeps the digits of numbers', async () => {
    actions.reply = () => ({ status: 200, body: '{"n": 9007199254740993, "price": 1.50}' })
    const answer = await actions.engine.graphql('{ ask }', {}, asUser)
    expect(answer.text).toBe('{"data":{"ask":{"n":9007199254740993,"price":1.50}}}')
  })

  test('an action returns a fraction for an Int, as in Hasura', async () => {
    actions.reply = () => ({ status: 200, body: '1.5' })
    expect((await actions.engine.graphql('mutation { count }')).text).toBe('{"data":{"count":1.5}}')
  })

  test('a handler that returns an object instead of a list of custom scalars is rejected', async () => {
    actions.reply = () => ({ status: 200, body: { a: 1 } })
    const answer = await actions.engine.graphql('{ owns }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'expecting array for the action webhook response' }],
    })
  })

  test('a response transformation shapes the result of an action', async () => {
    actions.reply = () => ({ status: 201, body: { words: ['a', 'b'] } })
    const answer = await actions.engine.graphql('{ changed { text person_id } }', {}, asUser)
    expect(answer.body).toEqual({ data: { changed: { text: 'b of 7, 201', person_id: 2 } } })
  })

  test('a response transformation applies to a 4xx response', async () => {
    actions.reply = () => ({ status: 400, body: { words: ['x', 'no'] } })
    const answer = await actions.engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message: 'no of 7, 400', extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test('a failed response transformation gets the code unexpected, and only admin sees the reason', async () => {
    actions.reply = () => ({ status: 200, body: { words: 1 } })
    const message = 'Response Transformation Failed'
    const extensions = { path: '$', code: 'unexpected' }
    const answer = await actions.engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({ errors: [{ message, extensions }] })
    const adminAnswer = await actions.engine.graphql('{ changed { text } }')
    const reason = {
      error_code: 'Type Error',
      message: "Couldn't match expected type 'Object' with actual type 'Number'",
      source_position: { start_line: 0, start_column: 13, end_line: 0, end_column: 24 },
    }
    expect(adminAnswer.body).toEqual({
      errors: [{ message, extensions: { ...extensions, internal: [reason] } }],
    })
  })

  test('a response transformation can read the request that was sent', async () => {
    actions.reply = () => ({ status: 200, body: 1 })
    const answer = await actions.engine.graphql('{ echo }', {}, asUser)
    expect(answer.body).toEqual({
      data: {
        echo: {
          sent: 'echo',
          session: '7',
          from: `${actions.handler.url}/echo`,
          before: [['a', '1']],
        },
      },
    })
  })

  test('a handler is called at most once when a later insert of the mutation fails', async () => {
    actions.reply = () => ({ status: 200, body: 1 })
    const query = 'mutation { count insert_visit_one(object: {id: 10}) { id } }'
    const answer = await actions.engine.graphql(query)
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    })
    expect(actions.handler.received.length).toBeLessThanOrEqual(1)
  })

  test('a handler response that is not JSON is rejected', async () => {
    actions.reply = () => ({ status: 200, body: '<html>' })
    const answer = await actions.engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'not a valid json response from webhook' }],
    })
  })

  test.each([
    ['only a message', { message: 'no' }, { path: '$', code: 'unexpected' }],
    ['a code', { message: 'no', code: 'mine' }, { path: '$', code: 'mine' }],
    [
      'extensions, which replace the code',
      { message: 'no', code: 'x', extensions: { a: 1 } },
      { a: 1 },
    ],
  ])(
    'a 4xx response of a handler with %s becomes the error of the action',
    async (_what, body, extensions) => {
      actions.reply = () => ({ status: 422, body })
      for (const headers of [asUser, {}]) {
        const answer = await actions.engine.graphql(GREET, {}, headers)
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual({ errors: [{ message: 'no', extensions }] })
      }
    },
  )

  test.each([500, 302])(
    'a handler response with status %i is an internal error',
    async (status) => {
      actions.reply = () => ({ status, body: { message: 'no' } })
      const answer = await actions.engine.graphql(GREET, {}, asUser)
      expect(answer.body).toMatchObject({
        errors: [{ message: 'internal error', extensions: { code: 'unexpected' } }],
      })
    },
  )

  test('a call of a handler that exceeds its timeout gets an error', async () => {
    actions.reply = () => ({ status: 200, body: 1, after: new Promise(() => {}) })
    const answer = await actions.engine.graphql('mutation { slow }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'http exception when calling webhook' }],
    })
  })

  test('admin sees the failed request and response of a handler, without secrets', async () => {
    actions.reply = () => ({ status: 500 })
    const answer = await actions.engine.graphql(GREET)
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
