import {
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql'
import { openReadySocket } from '../../../packages/engine/test/support/socket.ts'
import { canonicalText } from './canonical-text.ts'
import { fullSelection } from './every-query.ts'
import type { Project } from './project.ts'

/** A value before all values in the tests, by the type of a stream's cursor. Columns of other types get no stream. */
const BEFORE: Record<string, string> = {
  String: '""',
  Int: '-1',
  Boolean: 'false',
  timestamptz: '"1970-01-01"',
  bigint: '"-1"',
}

/**
 * Subscribes to every list of rows and every stream that a role has, on one socket.
 *
 * @returns for each subscription its query and its first message; `nothing` for a stream without rows
 */
export async function firstSubscriptionAnswers(
  project: Project,
  schema: GraphQLSchema,
  session: Record<string, string>,
): Promise<string[]> {
  const subscriptions = everySubscription(schema)
  const silent = await streamsWithoutRows(project, subscriptions, session)
  const socket = await openReadySocket(project.url, { ...project.headers, ...session })
  subscriptions.forEach(({ query }, i) => {
    socket.send({
      type: 'subscribe',
      id: String(i),
      payload: { query: `subscription { ${query} }` },
    })
  })
  const messages = new Map<string, string>()
  while (subscriptions.some((_, i) => !silent.has(i) && !messages.has(String(i)))) {
    const { id = '', type, payload } = await socket.next()
    const [rows = payload] = Object.values(Object(Object(payload).data))
    if (!messages.has(id)) messages.set(id, `${type} ${canonicalText(rows, false)}`)
  }
  socket.ws.close()
  await socket.closed
  return subscriptions.map(({ query }, i) => `${query}: ${messages.get(String(i)) ?? 'nothing'}`)
}

async function streamsWithoutRows(
  project: Project,
  subscriptions: readonly Subscription[],
  session: Record<string, string>,
): Promise<Set<number>> {
  const query = subscriptions.map(({ existsQuery }, i) => `q${i}: ${existsQuery}`).join('\n')
  const { body } = await project.graphql(`{ ${query} }`, {}, session)
  const empty = Object.entries(Object(body).data).filter(([, rows]) => Object(rows).length === 0)
  return new Set(
    empty
      .map(([name]) => Number(name.slice(1)))
      .filter((i) => subscriptions[i]?.query.includes('_stream(')),
  )
}

/** A subscription, and the query that finds out if it has rows to send. */
type Subscription = { query: string; existsQuery: string }

/** Returns subscriptions to each list of rows and each stream. Aggregates and single rows are tested as queries. */
function everySubscription(schema: GraphQLSchema): Subscription[] {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  return fields.flatMap((field) => {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return []
    const some = (where: string) => `${type.name}(limit: 1${where}) { __typename }`
    if (field.name === type.name) {
      const order = 'id' in type.getFields() ? '(order_by: {id: asc})' : ''
      return { query: `${field.name}${order} ${fullSelection(type, 0)}`, existsQuery: some('') }
    }
    const cursor = schema.getType(`${field.name}_cursor_value_input`)
    if (!isInputObjectType(cursor)) return []
    return Object.values(cursor.getFields()).flatMap(({ name, type: of }) => {
      const start = isListType(of) ? '[]' : BEFORE[getNamedType(of).name]
      if (!start) return []
      return {
        query: `${field.name}(batch_size: 100, cursor: [{initial_value: {${name}: ${start}}}]) ${fullSelection(type, 0)}`,
        existsQuery: some(`, where: {${name}: {_gt: ${start}}}`),
      }
    })
  })
}
