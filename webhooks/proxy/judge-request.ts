import { GraphQLError } from 'graphql/error/index.js'
import { type DocumentNode, Kind, OperationTypeNode, parse } from 'graphql/language/index.js'
import { valueFromASTUntyped } from 'graphql/utilities/valueFromASTUntyped.js'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  CALLER_BOUNDS,
  countVariableUses,
  findFieldsFault,
  findLengthFault,
  findLiteralsFault,
  findUsesFault,
  findValuesFault,
  MAX_TOKENS_PER_FIELD,
} from '../../lib/runtime/graphql/document-size.ts'
import { relationsInOperation, relationsInValue } from './count-relations.ts'
import { returnsSecret } from './returns-secret.ts'

/** The members of a GraphQL request that cost work. They may have any type, since Hasura checks the types. */
const Costly = z.looseObject({
  query: z.unknown().optional(),
  operationName: z.unknown().optional(),
  variables: z.unknown().optional(),
})

/** The maximum number of requests in a batch. Hasura runs them in sequence. */
const MAX_BATCH = 50

/** A body to forward. */
export type ValidBody = {
  /** The body as JSON. */
  text: string
} & ValidRequest

/** The body to forward, or the response that refuses the request. */
export type BodyVerdict = ValidBody | { refusal: Refusal }

/** Runs CPU work as soon as the event loop has time for the caller. */
type Compute = <T>(work: () => T) => Promise<T>

/**
 * Checks the JSON of a GraphQL request, and serialises it again. So Hasura reads exactly the checked values, even if two
 * parsers disagree about a duplicate key. Each request of a batch waits separately for the event loop.
 */
export async function judgeBody(json: unknown, compute: Compute): Promise<BodyVerdict> {
  const verdict = await judgeEntries(json, compute)
  if ('path' in verdict) return { refusal: refusal('validation-failed', verdict) }
  const text = await compute(() => refuseDeepNesting(() => JSON.stringify(json)))
  return typeof text === 'string'
    ? { text, ...verdict }
    : { refusal: refusal('validation-failed', text) }
}

async function judgeEntries(json: unknown, compute: Compute): Promise<RequestFault | ValidRequest> {
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json]
  if (entries.length > MAX_BATCH)
    return { path: '$', message: `a batch has too many requests: ${entries.length} > ${MAX_BATCH}` }
  let [isMutation, hasSecret] = [false, false]
  for (const entry of entries) {
    const verdict = await compute(() => judgeRequest(entry))
    if ('path' in verdict) return verdict
    isMutation ||= verdict.isMutation
    hasSecret ||= verdict.returnsSecret
  }
  return { isMutation, returnsSecret: hasSecret }
}

/** A response with errors in Hasura's form. */
export type Refusal = { errors: object[] }

/** Creates a refusal in Hasura's form. */
export function refusal(code: string, { path, message }: RequestFault): Refusal {
  return { errors: [{ message, extensions: { path, code } }] }
}

/** The reason why a request is not forwarded, in Hasura's form. */
export type RequestFault = { path: string; message: string }

/** The facts about a request to forward, or about all requests of a batch together. */
type ValidRequest = {
  /** True if a request runs a mutation. */
  isMutation: boolean
  /** True if a response may have a new secret, such as an API key. */
  returnsSecret: boolean
}

/**
 * Checks the size of a GraphQL request: its length, its depth, and how many fields, values and subqueries it has. Hasura's
 * free edition does not limit these. If the document cannot be parsed, refuses it with a message in Hasura's form. So
 * Hasura only gets documents that were checked here.
 */
export function judgeRequest(request: unknown): RequestFault | ValidRequest {
  const { query, operationName, variables = {} } = Costly.safeParse(request).data ?? {}
  return refuseDeepNesting(() => {
    const document = typeof query === 'string' ? judgeDocument(query) : NO_OPERATIONS
    if ('path' in document) return document
    const message =
      findValuesFault(variables, CALLER_BOUNDS) ?? findRepetitionFault(document, variables)
    if (message !== null) return { path: '$', message }
    const mutations = document.operations.filter(
      (operation) => operation.isMutation && (!operationName || operation.name === operationName),
    )
    return {
      isMutation: mutations.length > 0,
      returnsSecret: mutations.some((mutation) => mutation.returnsSecret),
    }
  })
}

/** Calls `judge`. Returns a fault if the stack is too small for the nesting of the value. */
function refuseDeepNesting<T>(judge: () => T): T | RequestFault {
  try {
    return judge()
  } catch (thrown) {
    if (thrown instanceof RangeError) return NESTED_TOO_DEEPLY
    throw thrown
  }
}

const NESTED_TOO_DEEPLY: RequestFault = { path: '$', message: 'the request is nested too deeply' }

/** The facts about a valid document that are needed to check the variables of a request. */
type ValidDocument = { operations: readonly ValidOperation[] }

type ValidOperation = {
  name: string | undefined
  isMutation: boolean
  returnsSecret: boolean
  /** The number of subqueries for values in the document, without variables. */
  relations: number
  uses: ReadonlyMap<string, number>
  defaults: Readonly<Record<string, unknown>>
}

const NO_OPERATIONS: ValidDocument = { operations: [] }

function findRepetitionFault({ operations }: ValidDocument, input: unknown): string | null {
  const requestVariables = Variables.safeParse(input).data ?? {}
  for (const { relations, uses, defaults } of operations) {
    const variables = { ...defaults, ...requestVariables }
    const fault =
      findUsesFault(uses, variables, CALLER_BOUNDS) ??
      findRelationsFault(relations + relationsInVariables(uses, variables))
    if (fault !== null) return fault
  }
  return null
}

function relationsInVariables(
  uses: ValidOperation['uses'],
  variables: Readonly<Record<string, unknown>>,
): number {
  const counts = [...uses].map(([name, count]) =>
    Object.hasOwn(variables, name) ? count * relationsInValue(variables[name]) : 0,
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

function findRelationsFault(relations: number): string | null {
  if (relations <= CALLER_BOUNDS.maxSubqueries) return null
  return `the operation has too many subqueries: ${relations} > ${CALLER_BOUNDS.maxSubqueries}`
}

const Variables = z.record(z.string(), z.unknown())

/** A cache of valid documents, since clients repeat most documents. Documents above `MAX_CACHED_LENGTH` are not cached. */
const validDocuments = new LRUCache<string, ValidDocument>({ max: 2_000 })
const MAX_CACHED_LENGTH = 4_000

function judgeDocument(text: string): ValidDocument | RequestFault {
  const cachedDocument = validDocuments.get(text)
  if (cachedDocument) return cachedDocument
  const message = findLengthFault(text, CALLER_BOUNDS)
  if (message !== null) return { path: '$', message }
  const document = parseAndJudge(text)
  if ('operations' in document && text.length <= MAX_CACHED_LENGTH)
    validDocuments.set(text, document)
  return document
}

function parseAndJudge(text: string): ValidDocument | RequestFault {
  try {
    return judgeInside(parse(text, { noLocation: true, maxTokens: MAX_TOKENS }))
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown
    return { path: '$.query', message: `not a valid graphql query: ${thrown.message}` }
  }
}

const MAX_TOKENS = CALLER_BOUNDS.maxFields * MAX_TOKENS_PER_FIELD

function judgeInside(document: DocumentNode): ValidDocument | RequestFault {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  )
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  for (const { selectionSet } of operations) {
    const message = findFieldsFault({ selectionSet, fragments }, CALLER_BOUNDS)
    if (message !== null) return { path: '$', message }
  }
  const message = findLiteralsFault(document, CALLER_BOUNDS)
  if (message !== null) return { path: '$', message }
  return {
    operations: operations.map(({ name, operation, selectionSet, variableDefinitions = [] }) => ({
      name: name?.value,
      isMutation: operation === OperationTypeNode.MUTATION,
      returnsSecret: returnsSecret({ selectionSet, fragments }),
      relations: relationsInOperation({ selectionSet, fragments }),
      uses: countVariableUses({ selectionSet, fragments }),
      defaults: Object.fromEntries(
        variableDefinitions.flatMap(({ variable, defaultValue }) =>
          defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
        ),
      ),
    })),
  }
}
