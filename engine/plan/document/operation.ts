import { GraphQLError } from 'graphql/error/index.js'
import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  isExecutableDefinitionNode,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  TokenKind,
  type ValueNode,
} from 'graphql/language/index.js'
import { EngineError } from '../../errors.ts'
import { validationError } from '../planner.ts'
import { checkDirectives } from './directives.ts'

/** A parsed request: the one operation that runs, and the fragments it may use. */
export type Operation = {
  document: DocumentNode
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Names of the variables that the operation refers to. */
  used: ReadonlySet<string>
}

export type Bounds = { maxDocumentDepth: number; maxDocumentFields: number }

/**
 * Parses a document and chooses the operation; what fragments contain counts for the bounds.
 *
 * @throws validation-failed
 */
export function readOperation(text: string, name: string | null, bounds: Bounds): Operation {
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
  checkSize({ node, fragments }, bounds)
  return { document, node, fragments, used }
}

function parseDocument(text: string, { maxDocumentFields }: Bounds): DocumentNode {
  const document = parseText(text, maxDocumentFields * TOKENS_PER_FIELD)
  const strange = document.definitions.find((node) => !isExecutableDefinitionNode(node))
  if (strange) throw unreadableDocument(`it defines what is not executable: ${strange.kind}`)
  return document
}

function parseText(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens })
  } catch (thrown) {
    throw thrown instanceof GraphQLError ? unreadableDocument(thrown.message) : thrown
  }
}

function unreadableDocument(why: string): EngineError {
  return new EngineError('validation-failed', `not a valid graphql query: ${why}`, {
    path: '$.query',
  })
}

const TOKENS_PER_FIELD = 50

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

/**
 * Follows every fragment that the operation spreads.
 *
 * @returns the variables seen on the way
 * @throws validation-failed for a fragment that is not there or that contains itself
 */
function followFragments(
  node: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const done = new Set<string>()
  const used = new Set<string>()
  follow(node.selectionSet, '$', [])
  return used

  function follow({ selections }: SelectionSetNode, path: string, within: readonly string[]) {
    for (const selection of selections) {
      noteDirectives(selection.directives ?? [])
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        enter(selection.name.value, `${path}.selectionSet`, within)
      else if (selection.kind === Kind.INLINE_FRAGMENT) follow(selection.selectionSet, path, within)
      else {
        noteFields(selection.arguments ?? [])
        const own = `${path}.selectionSet.${selection.name.value}`
        if (selection.selectionSet) follow(selection.selectionSet, own, within)
      }
    }
  }
  function enter(name: string, path: string, within: readonly string[]) {
    if (done.has(name)) return
    if (within.includes(name)) {
      const all = within.slice(within.indexOf(name)).map((one) => `"${one}"`)
      throw validationError(path, `the fragment definition(s) ${listedInWords(all)} form a cycle`)
    }
    const fragment = fragments.get(name)
    if (!fragment) throw validationError(path, `reference to undefined fragment "${name}"`)
    follow(fragment.selectionSet, `${path}.${name}`, [...within, name])
    done.add(name)
  }
  function noteDirectives(directives: readonly DirectiveNode[]) {
    for (const { arguments: given = [] } of directives) noteFields(given)
  }
  /** Notes the variables in arguments or in an object's members, and refuses repeated names. */
  function noteFields(fields: readonly (ArgumentNode | ObjectFieldNode)[]) {
    for (const { value } of fields) noteVariables(value)
    if (fields.length < 2) return
    const twice = firstRepeated(fields.map(({ name }) => name.value))
    if (twice !== undefined) throw unreadableDocument(`multiple "${twice}" fields`)
  }
  function noteVariables(value: ValueNode) {
    if (value.kind === Kind.VARIABLE) used.add(value.name.value)
    else if (value.kind === Kind.LIST) value.values.forEach(noteVariables)
    else if (value.kind === Kind.OBJECT) noteFields(value.fields)
  }
}

function listedInWords(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
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

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => {
    const known = seen.has(name)
    seen.add(name)
    return known
  })
}

type Measured = {
  node: Pick<OperationDefinitionNode, 'selectionSet'>
  fragments: Operation['fragments']
}

/** Refuses an operation that is too deep or too long, before any work is done for it. */
export function checkSize(
  { node, fragments }: Measured,
  { maxDocumentDepth, maxDocumentFields }: Bounds,
) {
  const sizes = new Map<string, { fields: number; depth: number }>()
  const { fields, depth } = sizeOf(node.selectionSet)
  if (depth > maxDocumentDepth)
    throw new EngineError(
      'validation-failed',
      `the operation is nested too deeply: ${depth} > ${maxDocumentDepth}`,
    )
  if (fields > maxDocumentFields)
    throw new EngineError(
      'validation-failed',
      `the operation has too many fields: ${fields} > ${maxDocumentFields}`,
    )

  function sizeOf({ selections }: SelectionSetNode): { fields: number; depth: number } {
    const parts = selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value)
      const below = selection.selectionSet
        ? sizeOf(selection.selectionSet)
        : { fields: 0, depth: 0 }
      return selection.kind === Kind.FIELD
        ? { fields: below.fields + 1, depth: below.depth + 1 }
        : below
    })
    return {
      fields: parts.reduce((sum, part) => sum + part.fields, 0),
      depth: parts.reduce((most, part) => Math.max(most, part.depth), 0),
    }
  }
  function sizeOfFragment(name: string) {
    const fragment = fragments.get(name)
    const size =
      sizes.get(name) ?? (fragment ? sizeOf(fragment.selectionSet) : { fields: 0, depth: 0 })
    sizes.set(name, size)
    return size
  }
}
