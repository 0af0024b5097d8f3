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
  type DocumentBounds,
  MAX_TOKENS_PER_FIELD,
  variableUses,
} from '../../../../../lib/runtime/graphql/document-size.ts'
import { EngineError, validationError } from '../../../errors.ts'
import { checkDirectives } from './directives.ts'
import { firstRepeated } from './first-repeated.ts'
import { followFragments } from './fragments.ts'
import { checkFields, checkLength, checkLiterals } from './operation-size.ts'
import { unreadableDocument } from './unreadable-document.ts'

/** A parsed request: the one operation that runs, and the fragments it may use. */
export type Operation = {
  document: DocumentNode
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Names of the variables that the operation refers to. */
  used: ReadonlySet<string>
  /** How often it uses each of them; what a fragment uses counts each time that it is spread. */
  uses: ReadonlyMap<string, number>
}

/**
 * Parses a document and chooses the operation. Fields of fragments count towards the bounds, too.
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
  checkDirectives(node.directives ?? [], { path: '$', ...OF_OPERATIONS[node.operation] })
  refuseSecondFragment(document)
  const used = followFragments(node, fragments)
  refuseUnboundVariables(used, node)
  checkFields({ selectionSet: node.selectionSet, fragments }, bounds)
  checkLiterals(document, bounds)
  const uses = variableUses({ selectionSet: node.selectionSet, fragments })
  return { document, node, fragments, used, uses }
}

function parseDocument(text: string, { maxFields }: DocumentBounds): DocumentNode {
  const document = parseText(text, maxFields * MAX_TOKENS_PER_FIELD)
  const strange = document.definitions.find((node) => !isExecutableDefinitionNode(node))
  if (strange) throw unreadableDocument()
  return document
}

function parseText(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens })
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown
    // The bound is this engine's own, so nobody would know of it otherwise.
    throw TOO_LONG.test(thrown.message)
      ? validationError('$.query', `the document has more than ${maxTokens} tokens`)
      : unreadableDocument(thrown)
  }
}

/** How graphql-js says it. */
const TOO_LONG = /Document contains more that \d+ tokens/

function chooseOperation(
  { definitions }: DocumentNode,
  name: string | null,
  text: string,
): OperationDefinitionNode {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [only] = operations
  if (name === null) {
    if (only && operations.length === 1) return only
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
  const named = operations.find((operation) => operation.name?.value === name)
  if (named) return named
  throw new EngineError('validation-failed', `no such operation found in the document: "${name}"`)
}

/** Whether an operation is written as `{ … }` without `query`: only the tokens' positions tell them apart. */
function hasShorthand(text: string): boolean {
  return parse(text).definitions.some(({ loc }) => loc?.startToken.kind === TokenKind.BRACE_L)
}

const OF_OPERATIONS = {
  query: { place: 'a query', allowed: ['cached'] },
  mutation: { place: 'a mutation', allowed: [] },
  subscription: { place: 'a subscription', allowed: ['_multiple_top_level_fields'] },
}

function refuseSecondFragment({ definitions }: DocumentNode): void {
  const names = definitions
    .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    .map(({ name }) => name.value)
  const twice = firstRepeated(names)
  if (twice !== undefined)
    throw new EngineError('parse-failed', `multiple definitions for fragment "${twice}"`)
}

function refuseUnboundVariables(
  used: ReadonlySet<string>,
  { variableDefinitions = [] }: OperationDefinitionNode,
) {
  const names = variableDefinitions.map(({ variable }) => variable.name.value)
  const twice = firstRepeated(names)
  if (twice !== undefined)
    throw new EngineError('parse-failed', `multiple definitions for variable "${twice}"`)
  const declared = new Set(names)
  const unbound = [...used].find((name) => !declared.has(name))
  if (unbound !== undefined) throw validationError('$', `unbound variable "${unbound}"`)
}
