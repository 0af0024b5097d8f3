import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { metadata, replace } from '../support/metadata.ts'
import { startReceiver } from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { startZoo, type Zoo, zooReply, zooSchema } from '../support/zoo.ts'

describe('settings change how remote schemas are queried', () => {
  let zoo: Zoo

  beforeAll(async () => {
    zoo = await startZoo({
      HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA: 'true',
      HASURA_GRAPHQL_REMOTE_SCHEMA_SKIP_NULLS: 'true',
    })
    await zoo.use([zooSchema()], [])
  })
  afterAll(() => zoo?.stop())

  test('REMOTE_SCHEMA_PRIORITIZE_DATA returns remote data although there are errors', async () => {
    expect((await zoo.engine.graphql('{ broken animal(id: "a2") { name } }')).body).toEqual({
      data: { broken: null, animal: { name: 'Bo' } },
    })
  })

  test('REMOTE_SCHEMA_PRIORITIZE_DATA returns the errors if there is no remote data', async () => {
    expect((await zoo.engine.graphql('{ unwell(id: 1) { name } }')).body).toMatchObject({
      errors: [{ message: expect.any(String) }],
    })
  })

  test('REMOTE_SCHEMA_SKIP_NULLS sends no nulls', async () => {
    const requestBodies: unknown[] = []
    zoo.reply = (request) => {
      requestBodies.push(request.body)
      return zooReply(request)
    }
    const query =
      'query ($d: Diet, $f: AnimalFilter) { a: animals(filter: {diet: $d, tags: null, minWeight: 1}) { id } b: animals(filter: $f) { id } }'
    const variables = { d: null, f: { diet: null, minWeight: 4000 } }
    expect((await zoo.engine.graphql(query, variables)).body).toEqual({
      data: { a: [{ id: 'a1' }, { id: 'a2' }, { id: 'a3' }], b: [{ id: 'a1' }] },
    })
    expect(requestBodies.length).toBeGreaterThan(0)
    expect(JSON.stringify(requestBodies)).not.toMatch(/null|tags/)
  })
})

test.each([
  ["the client's header", 'false', 'of the client'],
  ['the configured header', 'true', 'configured'],
])(
  'a handler gets %s with HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE=%s',
  async (_what, isOn, expected) => {
    const db = await database()
    const handler = await startReceiver(() => ({ status: 200, body: { id: '1' } }))
    const engine = await serveEngineHere(db.url, {
      HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE: isOn,
    })
    const definition = {
      kind: 'synchronous',
      type: 'query',
      output_type: 'Thing',
      handler: handler.url,
      forward_client_headers: true,
      headers: [{ name: 'X-Key', value: 'configured' }],
    }
    const custom_types = { objects: [{ name: 'Thing', fields: [{ name: 'id', type: 'String' }] }] }
    const actions = [{ name: 'act', definition }]
    await engine.post('/v1/metadata', replace(metadata([], { actions, custom_types })))
    const headers = { 'x-key': 'of the client', 'x-other': 'passed on' }
    expect((await engine.graphql('{ act { id } }', {}, headers)).body).toEqual({
      data: { act: { id: '1' } },
    })
    expect(handler.received[0]?.headers).toMatchObject({
      'x-key': expected,
      'x-other': 'passed on',
    })
    await engine.stop()
    await handler.close()
    await db.drop()
  },
)
