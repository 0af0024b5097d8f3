import { type GraphQLSchema, isInputType, OperationTypeNode, print, typeFromAST } from 'graphql'
import { roleSchemaOf } from '../../differential/operations/role-schema.ts'
import type { GraphqlServer } from '../../differential/servers/graphql-server.ts'
import { isValidFor, type RepositoryDocument } from './documents.ts'
import { errorsOf } from './explained-error.ts'
import type { RoleSession } from './role-session.ts'
import { type Question, rootFieldQuestions } from './root-fields.ts'
import { sampleValue } from './sample-value.ts'
import { subscribeOnce } from './subscribe-once.ts'

/** What a role was asked, and what it lost. */
export type RoleAnswers = {
  /** The documents that are valid for the role. */
  valid: readonly RepositoryDocument[]
  rootFields: Tally
  documents: Tally
  subscriptions: Tally
  /** Errors that neither the made-up values nor missing handlers explain, with one question each. */
  faults: ReadonlyMap<string, string>
}

/** How many were asked, and how many of these were answered without an error. */
export type Tally = { asked: number; answered: number }

/** Asks everything that a role may ask: every root field of queries, and the documents of the repository that are valid for it. */
export async function askRole(
  server: GraphqlServer & { url: string },
  session: RoleSession,
  documents: readonly RepositoryDocument[],
): Promise<RoleAnswers> {
  const faults = new Map<string, string>()
  const schema = await roleSchemaOf(server, { headers: session.headers() })
  if (!schema)
    throw new Error(`no answer to introspection by ${session.headers()['x-hasura-role']}`)
  const valid = documents.filter((document) => isValidFor(schema, document))
  const [subscribed, sent] = partition(
    valid,
    ({ operation: { operation } }) => operation === OperationTypeNode.SUBSCRIPTION,
  )
  const toQuestion = (document: RepositoryDocument) => documentQuestion(schema, document)
  const ask = (question: Question) => answerOf(server, session, question)
  const subscribe = (question: Question) => subscribeOnce(server.url, session.headers(), question)
  return {
    valid,
    rootFields: await tally(rootFieldQuestions(schema), ask, faults),
    documents: await tally(sent.map(toQuestion), ask, faults),
    subscriptions: await tally(subscribed.map(toQuestion), subscribe, faults),
    faults,
  }
}

/** How often a variable's type may be learnt from one question. */
const MAX_LESSONS = 10

async function answerOf(
  server: GraphqlServer,
  session: RoleSession,
  { query, variables }: Question,
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

async function tally(
  questions: readonly Question[],
  ask: (question: Question) => Promise<{ text: string; isExplained: boolean }[]>,
  faults: Map<string, string>,
): Promise<Tally> {
  let answered = 0
  for (const question of questions) {
    const errors = await ask(question)
    if (errors.length === 0) answered += 1
    for (const { text, isExplained } of errors) if (!isExplained) faults.set(text, question.query)
  }
  return { asked: questions.length, answered }
}

/** With a value for each variable without default, also for one that may be null: in a condition null is an error. */
function documentQuestion(
  schema: GraphQLSchema,
  { operation, document }: RepositoryDocument,
): Question {
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
