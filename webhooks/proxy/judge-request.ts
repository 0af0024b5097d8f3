import { GraphQLError } from 'graphql/error/index.js'
import { type DocumentNode, Kind, OperationTypeNode, parse } from 'graphql/language/index.js'
import { valueFromASTUntyped } from 'graphql/utilities/valueFromASTUntyped.js'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  CALLER_BOUNDS,
  fieldsFault,
  lengthFault,
  literalsFault,
  MAX_TOKENS_PER_FIELD,
  usesFault,
  valuesFault,
  variableUses,
} from '../../lib/runtime/graphql/document-size.ts'
import { relationsInOperation, relationsInValue } from './count-relations.ts'

/** The members of a GraphQL request that cost work; of any type, since Hasura checks them. */
const Costly = z.looseObject({
  query: z.unknown().optional(),
  operationName: z.unknown().optional(),
  variables: z.unknown().optional(),
})

/** A list of requests is a batch, whose entries run one after another. */
const MAX_BATCH = 50

/** A body to pass on. */
export type GoodBody = {
  /** As JSON. */
  text: string
  /** Whether the request, or one of a batch, runs a mutation. */
  isMutation: boolean
}

/** The body to pass on, or the answer that refuses it. */
export type JudgedBody = GoodBody | { refusal: Refusal }

/** Runs work that only computes, when the event loop has time for the caller. */
type Compute = <T>(work: () => T) => Promise<T>

/**
 * Judges the JSON of a request of GraphQL over HTTP, and writes it anew: so that Hasura reads exactly what was judged here,
 * even where two parsers disagree (about a key that occurs twice). The requests of a batch wait for their turns one by one.
 */
export async function judgeBody(json: unknown, compute: Compute): Promise<JudgedBody> {
  const judged = await judgeEntries(json, compute)
  if ('path' in judged) return { refusal: refusal('validation-failed', judged) }
  const text = await compute(() => refuseEndless(() => JSON.stringify(json)))
  return typeof text === 'string'
    ? { text, ...judged }
    : { refusal: refusal('validation-failed', text) }
}

async function judgeEntries(json: unknown, compute: Compute): Promise<RequestFault | GoodRequest> {
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json]
  if (entries.length > MAX_BATCH)
    return { path: '$', message: `a batch has too many requests: ${entries.length} > ${MAX_BATCH}` }
  let isMutation = false
  for (const entry of entries) {
    const judged = await compute(() => judgeRequest(entry))
    if ('path' in judged) return judged
    isMutation ||= judged.isMutation
  }
  return { isMutation }
}

/** An answer with errors, as Hasura gives it. */
export type Refusal = { errors: object[] }

/** A refusal in the form of Hasura's own. */
export function refusal(code: string, { path, message }: RequestFault): Refusal {
  return { errors: [{ message, extensions: { path, code } }] }
}

/** Why a request is not passed on, in Hasura's form. */
export type RequestFault = { path: string; message: string }

/** A request that may pass. */
type GoodRequest = { isMutation: boolean }

/**
 * Finds what is too much about a GraphQL request: a document or variables that are too long, too deep or too many. Hasura
 * itself has no such bounds in its free edition. A document that cannot be read here is refused in Hasura's words, so
 * that no document passes that Hasura may read in another way.
 */
export function judgeRequest(request: unknown): RequestFault | GoodRequest {
  const { query, operationName, variables = {} } = Costly.safeParse(request).data ?? {}
  return refuseEndless(() => {
    const judged = typeof query === 'string' ? judgeDocument(query) : NOTHING_USED
    if ('path' in judged) return judged
    const message = valuesFault(variables, CALLER_BOUNDS) ?? repetitionFault(judged, variables)
    if (message !== null) return { path: '$', message }
    const isMutation = judged.operations.some(
      (operation) => operation.isMutation && (!operationName || operation.name === operationName),
    )
    return { isMutation }
  })
}

/** Calls `judge`; a fault if the stack is too small for a value that is nested so deeply. */
function refuseEndless<T>(judge: () => T): T | RequestFault {
  try {
    return judge()
  } catch (thrown) {
    if (thrown instanceof RangeError) return NESTED_TOO_DEEPLY
    throw thrown
  }
}

const NESTED_TOO_DEEPLY: RequestFault = { path: '$', message: 'the request is nested too deeply' }

/** What a document that is fine makes of the variables that come with it. */
type FineDocument = { operations: readonly JudgedOperation[] }

type JudgedOperation = {
  name: string | undefined
  isMutation: boolean
  /** How many subqueries its own values ask for. */
  relations: number
  uses: ReadonlyMap<string, number>
  defaults: Readonly<Record<string, unknown>>
}

const NOTHING_USED: FineDocument = { operations: [] }

function repetitionFault({ operations }: FineDocument, given: unknown): string | null {
  const sent = Variables.safeParse(given).data ?? {}
  for (const { relations, uses, defaults } of operations) {
    const variables = { ...defaults, ...sent }
    const fault =
      usesFault(uses, variables, CALLER_BOUNDS) ??
      relationsFault(relations + relationsInVariables(uses, variables))
    if (fault !== null) return fault
  }
  return null
}

function relationsInVariables(
  uses: JudgedOperation['uses'],
  variables: Readonly<Record<string, unknown>>,
): number {
  const counts = [...uses].map(([name, count]) =>
    Object.hasOwn(variables, name) ? count * relationsInValue(variables[name]) : 0,
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

function relationsFault(relations: number): string | null {
  if (relations <= CALLER_BOUNDS.maxSubqueries) return null
  return `the operation has too many subqueries: ${relations} > ${CALLER_BOUNDS.maxSubqueries}`
}

const Variables = z.record(z.string(), z.unknown())

/** Documents that are fine, since most are sent again and again. Longer ones are judged each time. */
const fine = new LRUCache<string, FineDocument>({ max: 2_000 })
const MAX_REMEMBERED_LENGTH = 4_000

function judgeDocument(text: string): FineDocument | RequestFault {
  const known = fine.get(text)
  if (known) return known
  const long = lengthFault(text, CALLER_BOUNDS)
  if (long !== null) return { path: '$', message: long }
  const judged = judgeParsed(text)
  if ('operations' in judged && text.length <= MAX_REMEMBERED_LENGTH) fine.set(text, judged)
  return judged
}

function judgeParsed(text: string): FineDocument | RequestFault {
  try {
    return judgeInside(parse(text, { noLocation: true, maxTokens: MAX_TOKENS }))
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown
    return { path: '$.query', message: `not a valid graphql query: ${thrown.message}` }
  }
}

const MAX_TOKENS = CALLER_BOUNDS.maxFields * MAX_TOKENS_PER_FIELD

function judgeInside(document: DocumentNode): FineDocument | RequestFault {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  )
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  for (const { selectionSet } of operations) {
    const message = fieldsFault({ selectionSet, fragments }, CALLER_BOUNDS)
    if (message !== null) return { path: '$', message }
  }
  const message = literalsFault(document, CALLER_BOUNDS)
  if (message !== null) return { path: '$', message }
  return {
    operations: operations.map(({ name, operation, selectionSet, variableDefinitions = [] }) => ({
      name: name?.value,
      isMutation: operation === OperationTypeNode.MUTATION,
      relations: relationsInOperation({ selectionSet, fragments }),
      uses: variableUses({ selectionSet, fragments }),
      defaults: Object.fromEntries(
        variableDefinitions.flatMap(({ variable, defaultValue }) =>
          defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
        ),
      ),
    })),
  }
}
