import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { EngineError } from '../errors.ts'

/** A parsed request: the one operation that runs, and the fragments it may use. */
export type Operation = {
  document: DocumentNode
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

export type Bounds = { maxDocumentDepth: number; maxDocumentFields: number }

/**
 * Parses the text and chooses the operation; bounds are checked with fragments followed.
 *
 * @throws validation-failed
 */
export function readOperation(text: string, name: string | null, bounds: Bounds): Operation {
  const document = parseDocument(text, bounds)
  const node = choose(document, name)
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  refuseCycles(fragments)
  measure({ document, node, fragments }, bounds)
  return { document, node, fragments }
}

function parseDocument(text: string, { maxDocumentFields }: Bounds): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens: maxDocumentFields * TOKENS_PER_FIELD })
  } catch (thrown) {
    throw thrown instanceof GraphQLError ? notADocument(thrown) : thrown
  }
}

function notADocument(cause: GraphQLError): EngineError {
  const message = `not a valid graphql query: ${cause.message}`
  return new EngineError('validation-failed', message, { path: '$.query', cause })
}

const TOKENS_PER_FIELD = 50

function choose({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [only] = operations
  if (name === null) {
    if (only && operations.length === 1) return only
    throw new EngineError(
      'validation-failed',
      'exactly one operation has to be present in the document when operationName is not specified',
    )
  }
  const named = operations.find((operation) => operation.name?.value === name)
  if (named) return named
  throw new EngineError('validation-failed', `no such operation found in the document: "${name}"`)
}

function refuseCycles(fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  const done = new Set<string>()
  for (const name of fragments.keys()) visit(name, [])

  function visit(name: string, path: readonly string[]) {
    if (path.includes(name))
      throw new EngineError(
        'validation-failed',
        `the fragment definition(s) ${path.slice(path.indexOf(name)).join(', ')} form a cycle`,
      )
    const fragment = fragments.get(name)
    if (!fragment || done.has(name)) return
    for (const spread of spreadsOf(fragment.selectionSet)) visit(spread, [...path, name])
    done.add(name)
  }
}

function spreadsOf({ selections }: SelectionSetNode): string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection.name.value]
    return selection.selectionSet ? spreadsOf(selection.selectionSet) : []
  })
}

/** Refuses what is too deep or too long before any work is done for it. */
function measure({ node, fragments }: Operation, { maxDocumentDepth, maxDocumentFields }: Bounds) {
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
