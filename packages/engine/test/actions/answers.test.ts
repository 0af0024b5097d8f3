import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, GREET, startActions } from '../support/actions.ts'

const NO_TEXT = 'parsing Text failed, expected String, but encountered Number'

let on: Actions

beforeAll(async () => {
  on = await startActions()
})
afterAll(() => on?.stop())
beforeEach(() => on.reset())

describe('what a handler answers', () => {
  test('is reduced to the selected fields, in their order', async () => {
    on.reply = () => ({ status: 200, body: { more: { n: 1, x: 2 }, text: 'hi', extra: true } })
    const query = 'mutation { greet(who: {name: "a"}) { __typename t: text more { n } person_id } }'
    expect((await on.engine.graphql(query, {}, asUser)).text).toBe(
      '{"data":{"greet":{"__typename":"Greeting","t":"hi","more":{"n":1},"person_id":null}}}',
    )
  })

  test.each([
    ['null', null, 'got null for the action webhook response'],
    ['a list', [], 'got array for the action webhook response, expecting Greeting'],
    ['a text', 'x', 'got scalar String for the action webhook response, expecting Greeting'],
    ['a number', 5, 'got scalar String for the action webhook response, expecting Greeting'],
    [
      'no value for a field that must have one',
      {},
      'field "text" expected in webhook response, but not found',
    ],
    ['null for such a field', { text: null }, 'expecting not null value for field "text"'],
  ])('is refused when it is %s', async (_what, body, message) => {
    on.reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await on.engine.graphql(GREET, {}, asUser)
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
    on.reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await on.engine.graphql('{ greet_all { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message, extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test('has the values in an object as they are, as in Hasura', async () => {
    on.reply = () => ({ status: 200, body: { text: 1, more: { n: 'x' } } })
    const query = 'mutation { greet(who: {name: "a"}) { text more { n } } }'
    expect((await on.engine.graphql(query, {}, asUser)).body).toEqual({
      data: { greet: { text: 1, more: { n: 'x' } } },
    })
  })

  test('has null for missing fields, and no field whose value should be an object and is not', async () => {
    const ask = async (more: unknown) => {
      on.reply = () => ({ status: 200, body: { text: 'a', more } })
      const query = 'mutation { greet(who: {name: "a"}) { person_id more { n } } }'
      return (await on.engine.graphql(query, {}, asUser)).body
    }
    expect(await ask({})).toEqual({ data: { greet: { person_id: null, more: { n: null } } } })
    expect(await ask(5)).toEqual({ data: { greet: { person_id: null } } })
    expect(await ask([5, { n: 1 }])).toEqual({
      data: { greet: { person_id: null, more: [{ n: 1 }] } },
    })
  })

  test('has no object that it leaves out, or that is asked for by another name', async () => {
    on.reply = () => ({ status: 200, body: { text: 'a', more: { n: 1 } } })
    const aliased = 'mutation { greet(who: {name: "a"}) { t: text m: more { n } } }'
    const answer = await on.engine.graphql(aliased, {}, asUser)
    expect(answer.body).toEqual({ data: { greet: { t: 'a' } } })
    on.reply = () => ({ status: 200, body: { text: 'a' } })
    const query = 'mutation { greet(who: {name: "a"}) { text more { n } } }'
    expect((await on.engine.graphql(query, {}, asUser)).body).toEqual({
      data: { greet: { text: 'a' } },
    })
  })

  test('has sorted keys where nobody selects fields', async () => {
    on.reply = () => ({ status: 200, body: { z: 1, a: { c: 1, b: [{ y: 1, x: 2 }] } } })
    expect((await on.engine.graphql('{ weigh(unit: "g") }', {}, asUser)).text).toBe(
      '{"data":{"weigh":{"a":{"b":[{"x":2,"y":1}],"c":1},"z":1}}}',
    )
  })

  test('is refused when it is an object in the place of a scalar', async () => {
    on.reply = () => ({ status: 200, body: { n: 1 } })
    const answer = await on.engine.graphql('mutation { count }')
    expect(answer.body).toMatchObject({
      errors: [{ message: 'got object for the action webhook response, expecting Int' }],
    })
  })

  test.each([
    ['no message', { code: 'x' }, '$', 'key "message" not found'],
    ['a list', [], '$', 'expected Object, but encountered Array'],
    ['no text', { message: 1 }, '$.message', NO_TEXT],
    ['a code that is no text', { message: 'no', code: 1 }, '$.code', NO_TEXT],
  ])('with 4xx and %s is no error of its own', async (_what, body, path, message) => {
    on.reply = () => ({ status: 400, body: JSON.stringify(body) })
    const answer = await on.engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message, extensions: { code: 'parse-failed', path } }],
    })
  })

  test.each([
    ['an object', { a: [1] }],
    ['a list', [{ a: 1 }, 'x']],
    ['a text', 'x'],
  ])('of a scalar that is not of GraphQL may be %s, and is not cut', async (_what, body) => {
    on.reply = () => ({ status: 200, body: JSON.stringify(body) })
    const answer = await on.engine.graphql('{ ask own }', {}, asUser)
    expect(answer.body).toEqual({ data: { ask: body, own: body } })
  })

  test('keeps the digits of its numbers', async () => {
    on.reply = () => ({ status: 200, body: '{"n": 9007199254740993, "price": 1.50}' })
    const answer = await on.engine.graphql('{ ask }', {}, asUser)
    expect(answer.text).toBe('{"data":{"ask":{"n":9007199254740993,"price":1.50}}}')
  })

  test('may be any number where an Int is promised, as in Hasura', async () => {
    on.reply = () => ({ status: 200, body: '1.5' })
    expect((await on.engine.graphql('mutation { count }')).text).toBe('{"data":{"count":1.5}}')
  })

  test('of a list of such scalars must be a list', async () => {
    on.reply = () => ({ status: 200, body: { a: 1 } })
    const answer = await on.engine.graphql('{ owns }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'expecting array for the action webhook response' }],
    })
  })

  test('is what its transformation makes of it', async () => {
    on.reply = () => ({ status: 201, body: { words: ['a', 'b'] } })
    const answer = await on.engine.graphql('{ changed { text person_id } }', {}, asUser)
    expect(answer.body).toEqual({ data: { changed: { text: 'b of 7, 201', person_id: 2 } } })
  })

  test('is transformed when it is a refusal too', async () => {
    on.reply = () => ({ status: 400, body: { words: ['x', 'no'] } })
    const answer = await on.engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({
      errors: [{ message: 'no of 7, 400', extensions: { path: '$', code: 'unexpected' } }],
    })
  })

  test('that its transformation cannot use is unexpected; only admin gets the reason', async () => {
    on.reply = () => ({ status: 200, body: { words: 1 } })
    const message = 'Response Transformation Failed'
    const extensions = { path: '$', code: 'unexpected' }
    const answer = await on.engine.graphql('{ changed { text } }', {}, asUser)
    expect(answer.body).toEqual({ errors: [{ message, extensions }] })
    const told = await on.engine.graphql('{ changed { text } }')
    const reason = {
      error_code: 'Type Error',
      message: "Couldn't match expected type 'Object' with actual type 'Number'",
      source_position: { start_line: 0, start_column: 13, end_line: 0, end_column: 24 },
    }
    expect(told.body).toEqual({
      errors: [{ message, extensions: { ...extensions, internal: [reason] } }],
    })
  })

  test('is transformed with the request that was sent', async () => {
    on.reply = () => ({ status: 200, body: 1 })
    const answer = await on.engine.graphql('{ echo }', {}, asUser)
    expect(answer.body).toEqual({
      data: {
        echo: { sent: 'echo', session: '7', from: `${on.handler.url}/echo`, before: [['a', '1']] },
      },
    })
  })

  test('of an earlier action stays when a later change of the database fails', async () => {
    on.reply = () => ({ status: 200, body: 1 })
    const query = 'mutation { count insert_visit_one(object: {id: 10}) { id } }'
    const answer = await on.engine.graphql(query)
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    })
    expect(on.handler.received.length).toBeLessThanOrEqual(1)
  })

  test('is refused when it is no JSON', async () => {
    on.reply = () => ({ status: 200, body: '<html>' })
    const answer = await on.engine.graphql(GREET, {}, asUser)
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
    on.reply = () => ({ status: 422, body })
    for (const asker of [asUser, {}]) {
      const answer = await on.engine.graphql(GREET, {}, asker)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ errors: [{ message: 'no', extensions }] })
    }
  })

  test.each([500, 302])('with %i is an internal error', async (status) => {
    on.reply = () => ({ status, body: { message: 'no' } })
    const answer = await on.engine.graphql(GREET, {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'internal error', extensions: { code: 'unexpected' } }],
    })
  })

  test('must come in time', async () => {
    on.reply = () => ({ status: 200, body: 1, after: new Promise(() => {}) })
    const answer = await on.engine.graphql('mutation { slow }', {}, asUser)
    expect(answer.body).toMatchObject({
      errors: [{ message: 'http exception when calling webhook' }],
    })
  })

  test('that went wrong is shown to admin, without secrets', async () => {
    on.reply = () => ({ status: 500 })
    const answer = await on.engine.graphql(GREET)
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
