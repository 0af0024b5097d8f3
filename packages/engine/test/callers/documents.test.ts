import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askAs } from '../support/caller.ts'
import { rejection, startWithItems } from '../support/callers/items.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { EngineAnswer, ServedEngine } from '../support/start-engine.ts'

let items: Awaited<ReturnType<typeof startWithItems<ServedEngine>>>

beforeAll(async () => {
  items = await startWithItems(serveEngineHere)
})
afterAll(() => items?.stop())

function ask(query: string, variables: object = {}): Promise<EngineAnswer> {
  return askAs(items.engine, 'ada', { query, variables })
}

describe('documents of a caller without the admin secret are limited', () => {
  const deepQuery = (levels: number) =>
    `{item(limit:1){${'parent{'.repeat(levels)}id${'}'.repeat(levels)}}}`
  const wideQuery = (fields: number) =>
    `{item(limit:1){${Array.from({ length: fields }, (_, i) => `f${i}:id`).join(' ')}}}`
  const nestedCondition = (levels: number) => {
    let where: object = { id: { _eq: 1 } }
    for (let level = 0; level < levels; level++) where = { parent: where }
    return { where }
  }
  const CONDITION = 'query($where: item_bool_exp!){item(where:$where){id}}'
  const IN = 'query($ids: [Int!]!){item(where:{id:{_in:$ids}},limit:1){id}}'

  test.each<[string, string, object, RegExp]>([
    ['that is too long', `{item{id ${' '.repeat(50_000)}}}`, {}, /too many bytes: 500\d\d > 50000/],
    ['that is too deep', deepQuery(15), {}, /nested too deeply: 17 > 16/],
    ['with too many fields', wideQuery(500), {}, /too many fields: 501 > 500/],
    ['whose fragments multiply fields', fragments(9), {}, /too many fields/],
    ['with a too deep variable', CONDITION, nestedCondition(16), /value is nested too deeply/],
    [
      'with a too deep literal',
      `{item(where:${'{parent:'.repeat(16)}{}${'}'.repeat(16)}){id}}`,
      {},
      /value is nested too deeply/,
    ],
    [
      'with too many values',
      IN,
      { ids: Array.from({ length: 10_001 }, (_, i) => i) },
      /too many values: 10001 > 10000/,
    ],
    [
      'with too many literals',
      `{item(where:{id:{_in:[${'1 '.repeat(10_001)}]}}){id}}`,
      {},
      /too many values: 10001 > 10000/,
    ],
    [
      'with too many empty objects',
      'query($all: [item_bool_exp!]!){item(where:{_or:$all},limit:1){id}}',
      { all: Array.from({ length: 10_001 }, () => ({})) },
      /too many values: 10001 > 10000/,
    ],
    [
      'that uses a variable too often',
      `query($ids: [Int!]!){${Array.from({ length: 100 }, (_, i) => `a${i}:item(where:{id:{_in:$ids}},limit:1){id}`)}}`,
      { ids: Array.from({ length: 101 }, (_, i) => i) },
      /too many values, counting each use of a variable: 10100 > 10000/,
    ],
    [
      'that uses a long variable too often, in fragments',
      `query($text: String!){item{...A ...A}} fragment A on item{...B b:parent{...B}} fragment B on item{parent{${Array.from({ length: 4 }, (_, i) => `a${i}:children(where:{label:{_eq:$text}}){id}`)}}}`,
      { text: 'x'.repeat(70_000) },
      /variables have too many bytes, counting each use: 1120032 > 1000000/,
    ],
    [
      'that uses a variable with characters of several bytes too often',
      `query($text: String!){${Array.from({ length: 16 }, (_, i) => `a${i}:item(where:{label:{_eq:$text}},limit:1){id}`)}}`,
      { text: '–'.repeat(30_000) },
      /variables have too many bytes, counting each use: 1440032 > 1000000/,
    ],
    [
      'with too many conditions on relations',
      CONDITION,
      { where: { _or: Array.from({ length: 501 }, (_, i) => ({ parent: { id: { _eq: i } } })) } },
      /too many subqueries: 501 > 500/,
    ],
    [
      'with too many nested conditions in several fields',
      'query($where: item_bool_exp!){a:item(where:$where){id} b:item(where:$where){id}}',
      {
        where: {
          _or: Array.from({ length: 90 }, (_, i) => ({
            parent: { children: { parent: { id: { _eq: i } } } },
          })),
        },
      },
      /too many subqueries: 501 > 500/,
    ],
    [
      'with too many orders by relations',
      'query($by: [item_order_by!]!){item(order_by:$by,limit:1){id}}',
      { by: Array.from({ length: 251 }, () => ({ parent: { parent: { id: 'asc' } } })) },
      /too many subqueries: 501 > 500/,
    ],
  ])('a document %s is rejected', async (_name, query, variables, message) => {
    expect((await ask(query, variables)).body).toMatchObject(
      rejection('validation-failed', message),
    )
  })

  test('a document just below the limits is accepted', async () => {
    for (const [query, variables] of [
      [deepQuery(14), {}],
      [wideQuery(499), {}],
      [IN, { ids: Array.from({ length: 9_999 }, (_, i) => i) }],
      [
        'query($by: [item_order_by!]!){item(where:{id:{_eq:1}},order_by:$by){id}}',
        { by: Array.from({ length: 50 }, () => ({ parent: { id: 'asc' } })) },
      ],
    ] as const)
      expect((await ask(query, variables)).text).toMatch(/^{"data":/)
  })

  test('a document above the limits is accepted with the admin secret', async () => {
    expect((await items.engine.graphql(deepQuery(20))).text).toMatch(/^{"data":/)
    expect((await items.engine.graphql(wideQuery(2_000))).text).toMatch(/^{"data":/)
  })

  /** Builds a document in which each fragment spreads the fragment before it twice. */
  function fragments(count: number): string {
    const all = Array.from({ length: count }, (_, i) =>
      i === 0
        ? 'fragment F0 on item{id}'
        : `fragment F${i} on item{a:parent{...F${i - 1}} b:parent{...F${i - 1}}}`,
    )
    return `{item(limit:1){...F${count - 1}}} ${all.join(' ')}`
  }
})
