import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOTES, type Notes, readNoteIds, serveNotes } from '../support/notes.ts'
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, readAnswer, type ServedEngine } from '../support/start-engine.ts'

let notes: Notes

beforeAll(async () => {
  notes = await serveNotes()
})
afterAll(() => notes.stop())

describe('the admin secret authenticates admin', () => {
  test.each([
    ['a request without the admin secret is rejected', {}, 'access-denied'],
    ['a wrong admin secret is rejected', { 'x-hasura-admin-secret': 'wrong' }, 'access-denied'],
    ['the admin secret gives the role admin', { 'x-hasura-admin-secret': ADMIN_SECRET }, [1, 2]],
    [
      'the admin secret is accepted under its older header',
      { 'x-hasura-access-key': ADMIN_SECRET },
      [1, 2],
    ],
    [
      'the admin secret allows any role and session variables',
      { 'x-hasura-admin-secret': ADMIN_SECRET, 'X-Hasura-Role': 'user', 'X-HASURA-USER-ID': 'bob' },
      [2],
    ],
    [
      'an invalid x-hasura-use-backend-only-permissions is rejected',
      {
        'x-hasura-admin-secret': ADMIN_SECRET,
        'x-hasura-use-backend-only-permissions': 'perhaps',
      },
      'bad-request',
    ],
    [
      "the admin secret with a role gives only that role's permissions",
      { 'x-hasura-admin-secret': ADMIN_SECRET, 'x-hasura-role': 'nobody' },
      'validation-failed',
    ],
  ])('%s', async (_what, headers, expected) => {
    expect(await readNoteIds(notes.adminEngine, headers)).toEqual(expected)
  })

  test('an engine without an admin secret trusts every caller', async () => {
    const engine = await serveEngineHere(notes.db.url, { HASURA_GRAPHQL_ADMIN_SECRET: null })
    expect(await readNoteIds(engine, {})).toEqual([1, 2])
    expect(
      await readNoteIds(engine, { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' }),
    ).toEqual([1])
    await engine.stop()
  })

  test.each([
    ['HASURA_GRAPHQL_ACCESS_KEY sets the admin secret', null, 'old', 'old'],
    ['HASURA_GRAPHQL_ADMIN_SECRET wins over HASURA_GRAPHQL_ACCESS_KEY', 'new', 'old', 'new'],
    ['an empty HASURA_GRAPHQL_ACCESS_KEY lets no caller be admin', null, '', null],
  ])('%s', async (_what, adminSecret, accessKey, validSecret) => {
    const engine = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      HASURA_GRAPHQL_ACCESS_KEY: accessKey,
    })
    expect(await readNoteIds(engine, {})).toBe('access-denied')
    for (const name of ['x-hasura-access-key', 'x-hasura-admin-secret'])
      for (const secret of ['old', 'new', ''])
        expect(await readNoteIds(engine, { [name]: secret })).toEqual(
          secret === validSecret ? [1, 2] : 'access-denied',
        )
    await engine.stop()
  })

  test('an empty admin secret lets no caller be admin', async () => {
    const engine = await serveEngineHere(notes.db.url, { HASURA_GRAPHQL_ADMIN_SECRET: '' })
    expect(await readNoteIds(engine, {})).toBe('access-denied')
    expect(await readNoteIds(engine, { 'x-hasura-admin-secret': '' })).toBe('access-denied')
    await engine.stop()
  })

  test('the admin secret is never logged', async () => {
    await readNoteIds(notes.adminEngine, { 'x-hasura-admin-secret': 'wrong-secret' })
    await readNoteIds(notes.adminEngine, { 'x-hasura-admin-secret': ADMIN_SECRET })
    expect(notes.adminEngine.output()).not.toContain(ADMIN_SECRET)
    expect(notes.adminEngine.output()).not.toContain('wrong-secret')
  })
})

describe('callers without a secret get the unauthorized role', () => {
  let engine: ServedEngine
  beforeAll(async () => {
    engine = await serveEngineHere(notes.db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous' })
  })
  afterAll(() => engine.stop())

  test.each([
    ['a request without a secret gets the unauthorized role', {}, [2]],
    ['a role header does not change the unauthorized role', { 'x-hasura-role': 'admin' }, [2]],
    [
      'a wrong secret does not get the unauthorized role',
      { 'x-hasura-admin-secret': 'wrong' },
      'access-denied',
    ],
    [
      'the right secret does not get the unauthorized role',
      { 'x-hasura-admin-secret': ADMIN_SECRET },
      [1, 2],
    ],
  ])('%s', async (_what, headers, expected) => {
    expect(await readNoteIds(engine, headers)).toEqual(expected)
  })

  test('the unauthorized role takes session variables from headers, but not the role', async () => {
    const user = await serveEngineHere(notes.db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'user' })
    const headers = { 'X-Hasura-User-Id': 'ada', 'x-hasura-role': 'anonymous' }
    expect(await readNoteIds(user, headers)).toEqual([1])
    await user.stop()
  })

  test('the unauthorized role gets HTTP 400 from the metadata API', async () => {
    const body = JSON.stringify({ type: 'export_metadata', args: {} })
    const reply = await readAnswer(
      await fetch(`${engine.url}/v1/metadata`, { method: 'POST', body }),
    )
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'access-denied' })
  })
})

describe.each(['GET', 'POST'])(
  'an authentication hook called by %s decides the session',
  (mode) => {
    let engine: ServedEngine
    let hook: Receiver
    let reply: (request: ReceivedRequest) => ReceiverReply

    beforeAll(async () => {
      hook = await startReceiver((request) => reply(request))
      engine = await serveEngineHere(notes.db.url, {
        HASURA_GRAPHQL_AUTH_HOOK: `${hook.url}/hook`,
        HASURA_GRAPHQL_AUTH_HOOK_MODE: mode,
      })
    })
    afterAll(async () => {
      await engine.stop()
      await hook.close()
    })

    test('the hook decides the role and variables, and client headers do not', async () => {
      reply = () => ({ status: 200, body: { 'X-Hasura-Role': 'user', 'x-hasura-user-id': 'ada' } })
      expect(
        await readNoteIds(engine, { authorization: 'Bearer t', 'x-hasura-user-id': 'bob' }),
      ).toEqual([1])
    })

    test("the hook gets the client's headers, and by POST the request", async () => {
      reply = () => ({ status: 200, body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' } })
      await readNoteIds(engine, {
        authorization: 'Bearer token',
        'content-type': 'application/json',
      })
      const request = hook.received.at(-1)
      expect(request).toMatchObject({ method: mode, url: '/hook' })
      expect(request?.headers['user-agent']).toMatch(/^hasura-graphql-engine\//)
      if (mode === 'GET') expect(request?.headers).toMatchObject({ authorization: 'Bearer token' })
      else {
        const call = { headers: { authorization: 'Bearer token' }, request: JSON.parse(NOTES) }
        expect(request?.body).toMatchObject(call)
      }
    })

    test
      .runIf(mode === 'POST')
      .each(['{"query":5}', '{"query":"{a}","variables":5}', '{', '[1]', '5'])(
      'the hook gets null for the body %s, which is not a GraphQL request',
      async (body) => {
        reply = () => ({
          status: 200,
          body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' },
        })
        const before = hook.received.length
        await fetch(`${engine.url}/v1/graphql`, { method: 'POST', body })
        const calls = hook.received.slice(before)
        expect(calls.map(({ body }) => Object(body).request)).toEqual([null])
      },
    )

    test('the hook is not called if the request has an admin secret', async () => {
      const before = hook.received.length
      expect(await readNoteIds(engine, { 'x-hasura-admin-secret': ADMIN_SECRET })).toEqual([1, 2])
      expect(await readNoteIds(engine, { 'x-hasura-admin-secret': 'wrong' })).toBe('access-denied')
      expect(hook.received.length).toBe(before)
    })

    test.each([
      ['401', { status: 401 }, 'access-denied'],
      ['403', { status: 403 }, 'unexpected'],
      ['500', { status: 500 }, 'unexpected'],
      ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'unexpected'],
      ['a body that is not JSON', { status: 200, body: 'hello' }, 'unexpected'],
      ['a list', { status: 200, body: [] }, 'unexpected'],
      [
        'a number for a variable',
        { status: 200, body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 1 } },
        'unexpected',
      ],
      ['no role', { status: 200, body: { 'x-hasura-user-id': 'ada' } }, 'invalid-params'],
    ])('a hook that answers %s rejects the request with its code', async (_what, answer, code) => {
      reply = () => answer
      expect(await readNoteIds(engine, {})).toBe(code)
    })

    test('if the hook returns a variable in two spellings, the first spelling counts', async () => {
      const body =
        '{"X-Hasura-Role":"user","x-hasura-role":"anonymous","x-hasura-role":"admin","x-hasura-user-id":"ada"}'
      reply = () => ({ status: 200, body })
      expect(await readNoteIds(engine, {})).toEqual([1])
    })

    test('the hook can set cookies at the client', async () => {
      reply = () => ({
        status: 200,
        headers: { 'set-cookie': ['a=1', 'b=2'] },
        body: { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' },
      })
      const answer = await fetch(`${engine.url}/v1/graphql`, { method: 'POST', body: NOTES })
      expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    })
  },
)

test('HASURA_GRAPHQL_AUTH_HOOK_TYPE still sets HASURA_GRAPHQL_AUTH_HOOK_MODE', async () => {
  const hook = await startReceiver(() => ({ status: 401 }))
  const engine = await serveEngineHere(notes.db.url, {
    HASURA_GRAPHQL_AUTH_HOOK: hook.url,
    HASURA_GRAPHQL_AUTH_HOOK_TYPE: 'POST',
  })
  expect(await readNoteIds(engine, {})).toBe('access-denied')
  expect(hook.received[0]?.method).toBe('POST')
  await engine.stop()
  await hook.close()
})

test('a request gets the error code unexpected if the hook is unreachable', async () => {
  const engine = await serveEngineHere(notes.db.url, {
    HASURA_GRAPHQL_AUTH_HOOK: 'http://127.0.0.1:1/',
  })
  expect(await readNoteIds(engine, {})).toBe('unexpected')
  await engine.stop()
})
