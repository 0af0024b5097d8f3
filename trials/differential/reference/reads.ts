import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { z } from 'zod'
import { graphqlLiteral } from '../operations/graphql-literal.ts'
import type { GraphqlServer, ServerRequest } from '../servers/graphql-server.ts'
import { expressionJson } from './expression-text.ts'
import { checkProperty, failReference, type ReferenceProperty } from './property.ts'
import { type RootQuery, rootQueries, worlds } from './random-queries.ts'
import {
  expectedCount,
  expectedRows,
  linkOf,
  mayAsk,
  type Selection,
  type TableName,
  type TableQuery,
  type World,
} from './reference.ts'
import { callerOf, referenceMetadata, selectPermission, stageWorld } from './reference-world.ts'

/** Checks that every query of rows, or of aggregates with rows, gets the response that the reference computes. */
export const readsProperty: ReferenceProperty = {
  name: 'queries',
  operations: 6,
  check: (server, runs) =>
    checkProperty(
      fc.tuple(worlds(), fc.array(rootQueries(), { minLength: 4, maxLength: 8 })),
      async ([world, queries]) => {
        const metadata = permissionsMetadata(world)
        await stageWorld(server, world, metadata)
        for (const query of queries) await compareRead(server, world, query)
      },
      runs,
    ),
}

function permissionsMetadata({ permissions }: World): object {
  const tables = (['a', 'b', 'c'] as const).map((table) => {
    const permission = permissions[table]
    const select_permissions = permission ? [selectPermission('someone', permission)] : []
    return [table, { select_permissions }]
  })
  return referenceMetadata(Object.fromEntries(tables))
}

async function compareRead(
  server: GraphqlServer,
  world: World,
  rootQuery: RootQuery,
): Promise<void> {
  const { table, tableQuery, aggregate } = rootQuery
  const request: ServerRequest = { headers: callerOf(world), body: requestFor(rootQuery) }
  const { body } = await server.post('/v1/graphql', request.body, request.headers)
  const at = { world, metadata: permissionsMetadata(world), request }
  const permission = world.permissions[table]
  if (!mayAsk(world, table, tableQuery) || (aggregate && !permission?.aggregations)) {
    if (errorCode(body) === 'validation-failed') return
    failReference(at, 'the role may not send this query', {
      engine: body,
      expected: 'validation-failed',
    })
  }
  const nodes = expectedRows(world, table, tableQuery)
  const it = aggregate
    ? { aggregate: { count: expectedCount(world, table, tableQuery) }, nodes }
    : nodes
  const expected = { data: { it } }
  if (!isDeepStrictEqual(body, expected))
    failReference(at, 'other data', { engine: body, expected })
}

const ErrorResponse = z.object({
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })),
})

/** Returns the code of the first error of a response. */
export function errorCode(body: unknown): unknown {
  const { data } = ErrorResponse.safeParse(body)
  return data?.errors[0]?.extensions.code
}

function requestFor({ table, tableQuery, aggregate, asVariable }: RootQuery) {
  const { where } = tableQuery
  const variables = asVariable && where ? { w: expressionJson(where) } : {}
  const declaration = asVariable && where ? `($w: ${table}_bool_exp)` : ''
  const args = argumentsText(tableQuery, asVariable && where ? '$w' : null)
  const body = selectionText(table, tableQuery.selection)
  const field = aggregate
    ? `it: ${table}_aggregate(${args}) {aggregate {count} nodes {${body}}}`
    : `it: ${table}(${args}) {${body}}`
  return { query: `query q${declaration} {${field}}`, variables }
}

function argumentsText(
  { where, order, limit, offset }: TableQuery,
  variable: string | null,
): string {
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
    const target = linkOf(table, link)
    const args = target?.kind === 'array' ? `(${argumentsText(of, null)})` : ''
    return `${link}${args} {${target ? selectionText(target.table, of.selection) : ''}}`
  })
  return [...columns, ...below].join(' ')
}
