import { GraphQLError } from 'graphql/error/index.js'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  isExecutableDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  TokenKind,
} from 'graphql/language/index.js'
import {
  countVariableUses,
  type DocumentBounds,
  MAX_TOKENS_PER_FIELD,
} from '../../../../../lib/runtime/graphql/document-size.ts'
import { EngineError, validationError } from '../../../errors.ts'
import { checkDirectives } from './directives.ts'
import { firstRepeated } from './first-repeated.ts'
import { followFragments } from './fragments.ts'
import { checkFields, checkLength, checkLiterals } from './operation-size.ts'
import { unreadableDocument } from './unreadable-document.ts'

/** A parsed request: the operation that runs, and the fragments that it may use. */
export type Operation = {
  document: DocumentNode
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The names of the variables that the operation refers to. */
  usedVariables: ReadonlySet<string>
  /** How often the operation uses each variable. A use in a fragment counts each time that the fragment is spread. */
  useCounts: ReadonlyMap<string, number>
}

/**
 * Parses a document and chooses the operation. Fields of fragments count towards the limits too.
 *
 * @throws validation-failed
 */
export function readOperation(
  text: string,
  name: string | null,
  bounds: DocumentBounds,
): Operation {
  checkLength(text, bounds)
  const document = parseDocument(text, bounds)
  const node = chooseOperation(document, name, text)
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  checkDirectives(node.directives ?? [], { path: '$', ...OPERATION_DIRECTIVES[node.operation] })
  refuseSecondFragment(document)
  const usedVariables = followFragments(node, fragments)
  refuseUnboundVariables(usedVariables, node)
  checkFields({ selectionSet: node.selectionSet, fragments }, bounds)
  checkLiterals(document, bounds)
  const useCounts = countVariableUses({ selectionSet: node.selectionSet, fragments })
  return { document, node, fragments, usedVariables, useCounts }
}

function parseDocument(text: string, { maxFields }: DocumentBounds): DocumentNode {
  const document = parseText(text, maxFields * MAX_TOKENS_PER_FIELD)
  const typeDefinition = document.definitions.find((node) => !isExecutableDefinitionNode(node))
  if (typeDefinition) throw unreadableDocument()
  return document
}

function parseText(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    // Hasura has no such limit, and so no message for it. The message says what the limit is.
    throw TOO_LONG.test(error.message)
      ? validationError('$.query', `the document has more than ${maxTokens} tokens`)
      : unreadableDocument(error)
  }
}

/** Matches graphql-js's message about a document with too many tokens. */
const TOO_LONG = /Document contains more that \d+ tokens/

function chooseOperation(
  { definitions }: DocumentNode,
  name: string | null,
  text: string,
): OperationDefinitionNode {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [first] = operations
  if (name === null) {
    if (first && operations.length === 1) return first
    throw new EngineError(
      'validation-failed',
      'exactly one operation has to be present in the document when operationName is not specified',
    )
  }
  if (operations.some((operation) => !operation.name) && hasShorthand(text))
    throw new EngineError(
      'validation-failed',
      'operationName cannot be used when an anonymous operation exists in the document',
    )
  const namedOperation = operations.find((operation) => operation.name?.value === name)
  if (namedOperation) return namedOperation
  throw new EngineError('validation-failed', `no such operation found in the document: "${name}"`)
}

/**
 * Reports whether an operation has the shorthand form `{ … }`, without `query`. Only the positions of tokens reveal
 * this, so the text is parsed again, with positions.
 */
function hasShorthand(text: string): boolean {
  return parse(text).definitions.some(({ loc }) => loc?.startToken.kind === TokenKind.BRACE_L)
}

const OPERATION_DIRECTIVES = {
  query: { place: 'a query', allowedNames: ['cached'] },
  mutation: { place: 'a mutation', allowedNames: [] },
  subscription: { place: 'a subscription', allowedNames: ['_multiple_top_level_fields'] },
}

function refuseSecondFragment({ definitions }: DocumentNode): void {
  const names = definitions
    .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    .map(({ name }) => name.value)
  const duplicate = firstRepeated(names)
  if (duplicate !== undefined)
    throw new EngineError('parse-failed', `multiple definitions for fragment "${duplicate}"`)
}

function refuseUnboundVariables(
  usedVariables: ReadonlySet<string>,
  { variableDefinitions = [] }: OperationDefinitionNode,
) {
  const names = variableDefinitions.map(({ variable }) => variable.name.value)
  const duplicate = firstRepeated(names)
  if (duplicate !== undefined)
    throw new EngineError('parse-failed', `multiple definitions for variable "${duplicate}"`)
  const declaredNames = new Set(names)
  const unbound = [...usedVariables].find((name) => !declaredNames.has(name))
  if (unbound !== undefined) throw validationError('$', `unbound variable "${unbound}"`)
}
