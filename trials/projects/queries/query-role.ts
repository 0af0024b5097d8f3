import { type GraphQLSchema, isInputType, OperationTypeNode, print, typeFromAST } from 'graphql'
import { roleSchemaOf } from '../../differential/operations/role-schema.ts'
import type { GraphqlServer } from '../../differential/servers/graphql-server.ts'
import { isValidFor, type RepositoryDocument } from './documents.ts'
import { errorsOf } from './response-errors.ts'
import type { RoleSession } from './role-session.ts'
import { type GraphqlRequest, rootFieldRequests } from './root-fields.ts'
import { sampleValue } from './sample-value.ts'
import { subscribeOnce } from './subscribe-once.ts'

/** The results of a role's requests. */
export type RoleResults = {
  /** The documents that are valid for the role. */
  validDocuments: readonly RepositoryDocument[]
  rootFields: Tally
  documents: Tally
  subscriptions: Tally
  /** The errors that the made-up values and the missing handlers do not explain, each with one query. */
  faults: ReadonlyMap<string, string>
}

/** The number of requests, and the number of responses without an error. */
export type Tally = { requests: number; successes: number }

/** Sends a role's requests: a query of each query root field, and each document of the repository that is valid for the role. */
export async function queryRole(
  server: GraphqlServer & { url: string },
  session: RoleSession,
  documents: readonly RepositoryDocument[],
): Promise<RoleResults> {
  const faults = new Map<string, string>()
  const schema = await roleSchemaOf(server, { headers: session.headers() })
  if (!schema)
    throw new Error(`introspection failed for the role ${session.headers()['x-hasura-role']}`)
  const validDocuments = documents.filter((document) => isValidFor(schema, document))
  const [subscriptions, operations] = partition(
    validDocuments,
    ({ operation: { operation } }) => operation === OperationTypeNode.SUBSCRIPTION,
  )
  const toRequest = (document: RepositoryDocument) => documentRequest(schema, document)
  const ask = (body: GraphqlRequest) => errorsOfRequest(server, session, body)
  const subscribe = (body: GraphqlRequest) => subscribeOnce(server.url, session.headers(), body)
  return {
    validDocuments,
    rootFields: await countSuccesses(rootFieldRequests(schema), ask, faults),
    documents: await countSuccesses(operations.map(toRequest), ask, faults),
    subscriptions: await countSuccesses(subscriptions.map(toRequest), subscribe, faults),
    faults,
  }
}

/** How often one query may be retried because its error has shown the type of a session variable. */
const MAX_LESSONS = 10

async function errorsOfRequest(
  server: GraphqlServer,
  session: RoleSession,
  { query, variables }: GraphqlRequest,
) {
  for (let lessons = 0; ; lessons++) {
    const { body, status } = await server.post(
      '/v1/graphql',
      { query, variables },
      session.headers(),
    )
    if (status >= 500) return [{ text: `status ${status}`, isExplained: false }]
    const errors = errorsOf(body)
    if (lessons === MAX_LESSONS || !errors.some(({ text }) => session.learn(text))) return errors
  }
}

async function countSuccesses(
  bodies: readonly GraphqlRequest[],
  ask: (body: GraphqlRequest) => Promise<{ text: string; isExplained: boolean }[]>,
  faults: Map<string, string>,
): Promise<Tally> {
  let successes = 0
  for (const body of bodies) {
    const errors = await ask(body)
    if (errors.length === 0) successes += 1
    for (const { text, isExplained } of errors) if (!isExplained) faults.set(text, body.query)
  }
  return { requests: bodies.length, successes }
}

/** Writes the request for a document. Nullable variables get a value too, because null in a condition is an error. */
function documentRequest(
  schema: GraphQLSchema,
  { operation, document }: RepositoryDocument,
): GraphqlRequest {
  const values = (operation.variableDefinitions ?? [])
    .filter(({ defaultValue }) => !defaultValue)
    .map(({ variable, type }) => {
      const inputType = typeFromAST(schema, type)
      return [variable.name.value, isInputType(inputType) ? sampleValue(inputType) : null] as const
    })
  return { query: print(document), variables: Object.fromEntries(values) }
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
