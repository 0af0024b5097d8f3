import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askAs, nextMessageOf, socketOf } from '../support/caller.ts'
import { rejection, startWithItems } from '../support/callers/items.ts'
import { type RunningEngine, startEngine } from '../support/start-engine.ts'

let items: Awaited<ReturnType<typeof startWithItems<RunningEngine>>>
let engine: RunningEngine

beforeAll(async () => {
  items = await startWithItems(startEngine)
  ;({ engine } = items)
})
afterAll(() => items?.stop())

const EVERY_FIELD = 'types{name fields{name type{name}}}'

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, i) => `a${i}:${field}`).join(' ')

/** Documents that repeat the schema more often than a caller is allowed to. */
const REPEATED = {
  'aliases of __schema': `{${aliases(60, `__schema{${EVERY_FIELD}}`)}}`,
  'aliases of types': `{__schema{${aliases(80, EVERY_FIELD)}}}`,
  'fields of the types of fields': `{${aliases(60, '__schema{types{fields{type{fields{name}}}}}')}}`,
  'input fields of the types of arguments': `{${aliases(60, '__schema{types{fields{args{type{ofType{inputFields{name}}}}}}}')}}`,
}

describe('introspection of a caller is limited', () => {
  test('a caller gets the whole schema by introspection', async () => {
    const { text } = await askAs(engine, 'ada', { query: getIntrospectionQuery() })
    const schema = buildClientSchema(JSON.parse(text).data)
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain('item')
  })

  test.each(Object.entries(REPEATED))(
    'introspection that repeats %s beyond the size of two schemas is rejected',
    async (_, query) => {
      const { body } = await askAs(engine, 'ada', { query })
      expect(body).toMatchObject(rejection('query-too-costly', /2 times the whole schema/))
    },
  )

  test.each(Object.entries(REPEATED))(
    'introspection with %s is answered with the admin secret',
    async (_, query) => {
      expect((await engine.graphql(query)).body).toHaveProperty('data')
    },
  )

  test('introspection respects directives, variables, fragments and aliases', async () => {
    const query = `query ($deep: Boolean!, $name: String!) {
      __type(name: $name) { ...Names same: name kind @skip(if: $deep) ... on __Type { fields @include(if: $deep) { name } } }
    } fragment Names on __Type { name enumValues { text: name } }`
    const variables = { deep: false, name: 'order_by' }
    expect((await askAs(engine, 'ada', { query, variables })).text).toBe(
      `{"data":{"__type":{"name":"order_by","enumValues":[${[
        'asc',
        'asc_nulls_first',
        'asc_nulls_last',
        'desc',
        'desc_nulls_first',
        'desc_nulls_last',
      ]
        .map((text) => `{"text":"${text}"}`)
        .join(',')}],"same":"order_by","kind":"ENUM"}}}`,
    )
  })

  test.each([
    ['{__type(name: 5) {name}}', {}],
    ['query ($name: String!) {__type(name: $name) {name}}', { name: 5 }],
    ['{__schema {types {fields(includeDeprecated: "x") {name}}}}', {}],
    ['{__schema {types {fields {nothing}}}}', {}],
  ])('the invalid introspection %s is rejected', async (query, variables) => {
    const { body } = await askAs(engine, 'ada', { query, variables })
    expect(body).toMatchObject(rejection('validation-failed', /./))
  })

  test('a flood of introspection on sockets does not block another caller or /healthz', async () => {
    const query = `{${aliases(8, `__schema{${EVERY_FIELD}}`)}}`
    const sockets = await Promise.all(Array.from({ length: 10 }, () => socketOf(engine, 'mallory')))
    let completed = 0
    const flood = sockets.map(async (socket, n) => {
      for (let i = 0; i < 40; i++)
        socket.send({ type: 'subscribe', id: `${n}-${i}`, payload: { query } })
      for (let i = 0; i < 40; i++) await nextMessageOf(socket, 'complete').then(() => completed++)
    })
    const [health, answer] = await Promise.all([
      fetch(`${engine.url}/healthz`),
      askAs(engine, 'ada', { query: '{item(limit: 1) {id}}' }),
    ])
    const before = completed
    expect(health.status).toBe(200)
    expect(answer.body).toHaveProperty('data')
    await Promise.all(flood)
    for (const { ws } of sockets) ws.close()
    expect(before).toBeLessThan(400)
    expect(completed).toBe(400)
  })
})
