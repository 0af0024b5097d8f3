import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import type { Asking, GraphqlServer } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { type Asked, asked, worlds } from './random-questions.ts'
import {
  expectedCount,
  expectedRows,
  linkOf,
  mayAsk,
  type Question,
  type Selection,
  type TableName,
  type World,
} from './reference.ts'
import { callerOf, referenceMetadata, selectPermission, stageWorld } from './reference-world.ts'

/** Any query of any role, of rows or of aggregates with rows, answers what the reference computes. */
export const readsProperty: ReferenceProperty = {
  name: 'queries',
  operations: 6,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(worlds(), fc.array(asked(), { minLength: 4, maxLength: 8 })),
      async ([world, questions]) => {
        const metadata = permissionsMetadata(world)
        await stageWorld(server, world, metadata)
        for (const one of questions) await compareRead(server, world, one)
      },
      runs,
    ),
}

function permissionsMetadata({ permissions }: World): object {
  const granted = (['a', 'b', 'c'] as const).map((table) => {
    const permission = permissions[table]
    const select_permissions = permission ? [selectPermission('someone', permission)] : []
    return [table, { select_permissions }]
  })
  return referenceMetadata(Object.fromEntries(granted))
}

async function compareRead(server: GraphqlServer, world: World, one: Asked): Promise<void> {
  const { table, question, aggregate } = one
  const request: Asking = { headers: callerOf(world), body: requestFor(one) }
  const { body } = await server.post('/v1/graphql', request.body, request.headers)
  const compared = { world, metadata: permissionsMetadata(world), asked: request }
  const permission = world.permissions[table]
  if (!mayAsk(world, table, question) || (aggregate && !permission?.aggregations)) {
    if (errorCode(body) === 'validation-failed') return
    failReference(compared, 'the role may not ask this', {
      engine: body,
      expected: 'validation-failed',
    })
  }
  const nodes = expectedRows(world, table, question)
  const it = aggregate
    ? { aggregate: { count: expectedCount(world, table, question) }, nodes }
    : nodes
  const expected = { data: { it } }
  if (!isDeepStrictEqual(body, expected))
    failReference(compared, 'other data', { engine: body, expected })
}

const Failed = z.object({
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })),
})

/** The code of an answer's first error. */
export function errorCode(body: unknown): unknown {
  const { data } = Failed.safeParse(body)
  return data?.errors[0]?.extensions.code
}

function requestFor({ table, question, aggregate, asVariable }: Asked) {
  const { where } = question
  const variables = asVariable && where ? { w: expressionJson(where) } : {}
  const declared = asVariable && where ? `($w: ${table}_bool_exp)` : ''
  const args = argumentsText(question, asVariable && where ? '$w' : null)
  const body = selectionText(table, question.selection)
  const field = aggregate
    ? `it: ${table}_aggregate(${args}) {aggregate {count} nodes {${body}}}`
    : `it: ${table}(${args}) {${body}}`
  return { query: `query q${declared} {${field}}`, variables }
}

function argumentsText({ where, order, limit, offset }: Question, variable: string | null): string {
  const orders = [...(order ? [`{${order.column}: ${order.direction}}`] : []), '{id: asc}']
  return [
    `order_by: [${orders.join(', ')}]`,
    ...(where ? [`where: ${variable ?? graphqlLiteral(expressionJson(where))}`] : []),
    ...(limit === null ? [] : [`limit: ${limit}`]),
    ...(offset === null ? [] : [`offset: ${offset}`]),
  ].join(', ')
}

function selectionText(table: TableName, { columns, links }: Selection): string {
  const below = links.map(({ link, of }) => {
    const found = linkOf(table, link)
    const args = found?.kind === 'array' ? `(${argumentsText(of, null)})` : ''
    return `${link}${args} {${found ? selectionText(found.table, of.selection) : ''}}`
  })
  return [...columns, ...below].join(' ')
}
