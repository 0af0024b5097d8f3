import { expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { logLines } from '../support/log/log-lines.ts'
import { startReceiver } from '../support/receiver.ts'
import { startEngine } from '../support/start-engine.ts'

const SECRET = 'a-token-that-no-log-may-have'

test('each call of the authentication hook has a line, without headers and passwords', async () => {
  const db = await database()
  const hook = await startReceiver(({ headers }) =>
    headers['x-known'] === 'yes'
      ? { status: 200, body: { 'X-Hasura-Role': 'user' } }
      : { status: 401, body: { reason: 'unknown' } },
  )
  const address = hook.url.replace('http://', 'http://engine:hunter2@')
  const engine = await startEngine(db.url, {
    HASURA_GRAPHQL_AUTH_HOOK: `${address}/auth?key=hunter2`,
  })
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: SECRET, ...headers },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    return response.text()
  }
  expect(await send({ 'x-known': 'yes' })).toContain('__typename')
  await send({})
  await hook.close()
  await send({})
  await engine.stop()
  await db.drop()

  const common = { url: `${hook.url}/auth`, method: 'GET', message: null }
  expect(logLines(engine, 'webhook-log')).toEqual([
    expect.objectContaining({
      level: 'info',
      detail: { ...common, status_code: 200, http_error: null, response: null },
    }),
    expect.objectContaining({
      level: 'error',
      detail: { ...common, status_code: 401, http_error: null, response: '{"reason":"unknown"}' },
    }),
    expect.objectContaining({
      level: 'error',
      detail: {
        ...common,
        status_code: null,
        http_error: { type: 'http_exception', message: expect.stringContaining('ECONNREFUSED') },
        response: null,
      },
    }),
  ])
  for (const secret of [SECRET, 'hunter2']) expect(engine.output()).not.toContain(secret)
})
