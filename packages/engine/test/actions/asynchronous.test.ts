import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Actions, asUser, startActions } from '../support/actions.ts'
import { runSql } from '../support/metadata.ts'
import { openReadySocket } from '../support/socket.ts'
import { ADMIN_SECRET } from '../support/start-engine.ts'

/** The result with relationships before the action ends: an object of nulls, like in Hasura. */
const NOTHING = { text: null, person: null }

let actions: Actions

beforeAll(async () => {
  actions = await startActions()
})
afterAll(() => actions?.stop())
beforeEach(() => actions.reset())

describe('an asynchronous action stores the result of its handler', () => {
  const START = 'mutation { later(who: {name: "Ada"}) }'
  const RESULT =
    'query ($id: uuid!) { later(id: $id) { id errors output { text person { name } } } }'

  async function startAction(headers = asUser): Promise<string> {
    const { text } = await actions.engine.graphql(START, {}, headers)
    return text.slice('{"data":{"later":"'.length, -'"}}'.length)
  }

  test('an asynchronous action returns an id immediately and the result later', async () => {
    actions.reply = () => ({ status: 200, body: { text: 'hi', person_id: 1 } })
    const id = await startAction()
    const result = {
      data: { later: { id, errors: null, output: { text: 'hi', person: { name: 'Ada' } } } },
    }
    await expect
      .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual(result)
    expect(actions.handler.received[0]?.body).toMatchObject({
      input: { who: { name: 'Ada' } },
      request_query: null,
    })
  })

  test('an asynchronous action keeps the error of its handler', async () => {
    actions.reply = () => ({ status: 400, body: { message: 'no', code: 'mine' } })
    const id = await startAction()
    const error = {
      data: { later: { id, errors: { error: 'no', path: '$', code: 'mine' }, output: NOTHING } },
    }
    await expect
      .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual(error)
  })

  test.each([
    ['response has a NUL character', { status: 200, body: { text: 'a\u0000b' } }],
    ['response has half a surrogate pair', { status: 200, body: { text: '\ud800' } }],
    ['error has a NUL character', { status: 400, body: { message: 'a\u0000b', code: 'mine' } }],
  ])(
    'an asynchronous action calls its handler only once although jsonb cannot store its result: the %s',
    async (_what, reply) => {
      actions.reply = () => reply
      const id = await startAction()
      const error = {
        error: "the database cannot store the handler's response",
        path: '$',
        code: 'unexpected',
      }
      await expect
        .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
        .toEqual({ data: { later: { id, errors: error, output: NOTHING } } })
      expect(actions.handler.received).toHaveLength(1)
    },
  )

  test('an asynchronous action calls its handler once although its result cannot be stored at first', async () => {
    const rename = (from: string, to: string) =>
      actions.engine.post('/v2/query', runSql(`alter table hdb_catalog.${from} rename to ${to}`))
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    actions.reply = () => ({ status: 200, body: { text: 'hi' }, after })
    const id = await startAction()
    await actions.handler.waitForRequests(1)
    await rename('hdb_action_log', 'away')
    answer()
    await sleep(300)
    await rename('away', 'hdb_action_log')
    const result = { data: { later: { id, errors: null, output: { text: 'hi', person: null } } } }
    await expect
      .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual(result)
    expect(actions.handler.received).toHaveLength(1)
  })

  test("an asynchronous action does not return its handler's request and response, not even to admin", async () => {
    actions.reply = () => ({ status: 200, body: { text: null } })
    const id = await startAction()
    const error = {
      error: 'expecting not null value for field "text"',
      path: '$',
      code: 'unexpected',
    }
    for (const session of [asUser, {}])
      await expect
        .poll(async () => (await actions.engine.graphql(RESULT, { id }, session)).body)
        .toEqual({ data: { later: { id, errors: error, output: NOTHING } } })
  })

  test("an asynchronous action ignores the extensions of its handler's error", async () => {
    actions.reply = () => ({
      status: 400,
      body: { message: 'no', extensions: { code: 'x', more: 1 } },
    })
    const id = await startAction()
    const error = { error: 'no', path: '$', code: 'unexpected' }
    await expect
      .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual({ data: { later: { id, errors: error, output: NOTHING } } })
  })

  test.each(['', 'abc', '0b0f5e7a-2a0e-4d5b-8a55'])(
    'an asynchronous action rejects the id %j as an invalid UUID',
    async (id) => {
      const error = {
        message: 'invalid UUID',
        extensions: { path: '$.selectionSet.later.args.id', code: 'parse-failed' },
      }
      expect((await actions.engine.graphql(RESULT, { id })).body).toEqual({ errors: [error] })
    },
  )

  test('the result of an asynchronous action is visible only to its session and admin', async () => {
    actions.reply = () => ({ status: 200, body: { text: 'hi' } })
    const id = await startAction()
    const otherUser = { ...asUser, 'x-hasura-user-id': '8' }
    expect((await actions.engine.graphql(RESULT, { id }, otherUser)).body).toEqual({
      data: { later: null },
    })
    expect((await actions.engine.graphql(RESULT, { id })).body).toMatchObject({
      data: { later: { id } },
    })
  })

  test('a subscription gets the result of an asynchronous action', async () => {
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    actions.reply = () => ({ status: 200, body: { text: 'hi' }, after })
    const id = await startAction()
    const ws = await openReadySocket(actions.engine.url, {
      'x-hasura-admin-secret': ADMIN_SECRET,
      ...asUser,
    })
    const query = RESULT.replace('query', 'subscription')
    ws.send({ type: 'subscribe', id: 'w', payload: { query, variables: { id } } })
    const message = (output: unknown) => ({
      type: 'next',
      id: 'w',
      payload: { data: { later: { id, errors: null, output } } },
    })
    expect(await ws.next()).toEqual(message(NOTHING))
    answer()
    expect(await ws.next()).toEqual(message({ text: 'hi', person: null }))
    ws.ws.terminate()
  })

  test('dropping an asynchronous action deletes its calls, unless clear_data is false', async () => {
    const act = async (type: string, args: object) =>
      (await actions.engine.post('/v1/metadata', { type, args })).body
    const countCalls = async () => {
      const sql = "select count(*) from hdb_catalog.hdb_action_log where action_name = 'brief'"
      return (await actions.engine.post('/v2/query', runSql(sql))).body
    }
    const definition = { kind: 'asynchronous', handler: '{{HANDLER}}/brief', output_type: 'Int' }
    for (const [clear_data, count] of [
      [false, '1'],
      [undefined, '0'],
    ] as const) {
      await act('create_action', { name: 'brief', definition })
      if (clear_data === false) await actions.engine.graphql('mutation { brief }')
      expect(await act('drop_action', { name: 'brief', clear_data })).toEqual({
        message: 'success',
      })
      expect(await countCalls()).toMatchObject({ result: [['count'], [count]] })
    }
  })

  test('an asynchronous action runs again after its engine was killed', async () => {
    const second = await actions.startEngineProcess()
    await actions.engine.stop()
    actions.reply = () => ({ status: 200, body: { text: 'never' }, after: new Promise(() => {}) })
    const answer = await second.graphql(START, {}, asUser)
    await actions.handler.waitForRequests(1)
    await second.stop('SIGKILL')
    actions.reply = () => ({ status: 200, body: { text: 'again' } })
    actions.engine = await actions.startEngineProcess()
    const id = answer.text.slice('{"data":{"later":"'.length, -'"}}'.length)
    const result = {
      data: { later: { id, errors: null, output: { text: 'again', person: null } } },
    }
    await expect
      .poll(async () => (await actions.engine.graphql(RESULT, { id }, asUser)).body)
      .toEqual(result)
  })
})
