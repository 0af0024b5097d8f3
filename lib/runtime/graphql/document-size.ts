import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql/language/index.js'
import { isNumeral } from '../exact-json.ts'

/** The limits of a GraphQL operation. */
export type DocumentBounds = {
  /** The bytes of the document's text. */
  maxBytes: number
  /** The nesting of fields. */
  maxDepth: number
  /** The nesting of objects and lists inside a value. */
  maxValueDepth: number
  /** The number of fields. A field of a fragment counts once for each spread. */
  maxFields: number
  /**
   * Scalars, empty objects and empty lists. The document and the variables each have this limit. A variable counts once
   * for each use.
   */
  maxValues: number
  /** The bytes of the variables as JSON. A variable counts once for each use. */
  maxVariableBytes: number
  /**
   * The number of parts that each need a subquery: relations and aggregates in conditions and orders, updates in a
   * list, and rows with nested rows.
   */
  maxSubqueries: number
}

/** The limits for callers without the admin secret: ten times the size of a usual operation. */
export const CALLER_BOUNDS: DocumentBounds = {
  maxBytes: 50_000,
  maxDepth: 16,
  maxValueDepth: 16,
  maxFields: 500,
  maxValues: 10_000,
  maxVariableBytes: 1_000_000,
  maxSubqueries: 500,
}

/**
 * A document may have this many tokens for each field that it may have. So the parser stops in a document with few
 * fields and many tokens. A usual field, with its arguments, has a tenth of this.
 */
export const MAX_TOKENS_PER_FIELD = 50

/** Returns an error if the document is too long, or null. */
export function findLengthFault(text: string, { maxBytes }: DocumentBounds): string | null {
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return null
  return beyond(Buffer.byteLength(text), maxBytes, 'the document has too many bytes')
}

/** A UTF-16 code unit becomes at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3

type OperationParts = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Returns an error if an operation is nested too deeply or has too many fields, or null. */
export function findFieldsFault(
  { selectionSet, fragments }: OperationParts,
  { maxDepth, maxFields }: Pick<DocumentBounds, 'maxDepth' | 'maxFields'>,
): string | null {
  const { fields, depth } = sizeOfSelections(selectionSet, fragments)
  return (
    beyond(depth, maxDepth, 'the operation is nested too deeply') ??
    beyond(fields, maxFields, 'the operation has too many fields')
  )
}

/** Counts the uses of each variable in an operation. A use in a fragment counts once for each spread. */
export function countVariableUses({
  selectionSet,
  fragments,
}: OperationParts): ReadonlyMap<string, number> {
  const usesByFragment = new Map<string, ReadonlyMap<string, number>>()
  return usesIn(selectionSet)

  function usesIn({ selections }: SelectionSetNode): Map<string, number> {
    const uses = new Map<string, number>()
    for (const selection of selections) {
      for (const name of variablesOf(selection)) addUses(uses, [[name, 1]])
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        addUses(uses, usesInFragment(selection.name.value))
      else if (selection.selectionSet) addUses(uses, usesIn(selection.selectionSet))
    }
    return uses
  }

  function usesInFragment(name: string): ReadonlyMap<string, number> {
    const fragment = fragments.get(name)
    const knownUses = usesByFragment.get(name)
    if (knownUses) return knownUses
    // Ends the recursion of a fragment that contains itself; other code rejects such a fragment.
    usesByFragment.set(name, new Map())
    const uses = fragment ? usesIn(fragment.selectionSet) : new Map<string, number>()
    usesByFragment.set(name, uses)
    return uses
  }
}

/**
 * Returns the variables in the arguments and directives of a selection, without its nested selections. Does not use
 * graphql-js's `visit`, which took half of the time to read a document.
 */
function variablesOf(selection: SelectionNode): string[] {
  const fieldArguments = selection.kind === Kind.FIELD ? (selection.arguments ?? []) : []
  const directiveArguments =
    selection.directives?.flatMap((directive) => directive.arguments ?? []) ?? []
  return [...fieldArguments, ...directiveArguments].flatMap(({ value }) => variablesIn(value))
}

function variablesIn(node: ValueNode): string[] {
  if (node.kind === Kind.VARIABLE) return [node.name.value]
  if (node.kind === Kind.LIST) return node.values.flatMap(variablesIn)
  return node.kind === Kind.OBJECT ? node.fields.flatMap(({ value }) => variablesIn(value)) : []
}

function addUses(uses: Map<string, number>, additions: Iterable<readonly [string, number]>) {
  for (const [name, count] of additions) uses.set(name, (uses.get(name) ?? 0) + count)
}

/**
 * Returns an error for the first limit that the variables exceed, or null. A variable counts once for each use. Checks
 * only variables with several uses. The bytes are those of the JSON in UTF-8.
 */
export function findUsesFault(
  uses: ReadonlyMap<string, number>,
  variables: Readonly<Record<string, unknown>>,
  { maxValues, maxVariableBytes }: Pick<DocumentBounds, 'maxValues' | 'maxVariableBytes'>,
): string | null {
  const repeated = [...uses].filter(([name, count]) => count > 1 && Object.hasOwn(variables, name))
  let [values, bytes] = [0, 0]
  for (const [name, count] of repeated) {
    const value = variables[name]
    if (typeof value !== 'object' && typeof value !== 'string') continue
    values += count * countValues(value)
    bytes += count * Buffer.byteLength(JSON.stringify(value))
  }
  return (
    beyond(values, maxValues, `${TOO_MANY_VALUES}, counting each use of a variable`) ??
    beyond(bytes, maxVariableBytes, 'the variables have too many bytes, counting each use')
  )
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null || isNumeral(value)) return 1
  const items: unknown[] = Object.values(value)
  return items.length === 0 ? 1 : items.reduce<number>((sum, item) => sum + countValues(item), 0)
}

type Size = { fields: number; depth: number }

const EMPTY: Size = { fields: 0, depth: 0 }

function sizeOfSelections(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Size {
  const sizes = new Map<string, Size>()
  return sizeOf(selectionSet)

  function sizeOf({ selections }: SelectionSetNode): Size {
    const parts = selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value)
      const below = selection.selectionSet ? sizeOf(selection.selectionSet) : EMPTY
      if (selection.kind === Kind.INLINE_FRAGMENT) return below
      return { fields: below.fields + 1, depth: below.depth + 1 }
    })
    return {
      fields: parts.reduce((sum, part) => sum + part.fields, 0),
      depth: parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0),
    }
  }

  function sizeOfFragment(name: string): Size {
    const fragment = fragments.get(name)
    const knownSize = sizes.get(name)
    if (knownSize) return knownSize
    // Ends the recursion of a fragment that contains itself; other code rejects such a fragment.
    sizes.set(name, EMPTY)
    const size = fragment ? sizeOf(fragment.selectionSet) : EMPTY
    sizes.set(name, size)
    return size
  }
}

/** Returns an error if the JSON values are too many or nested too deeply, or null. */
export function findValuesFault(
  values: unknown,
  { maxValueDepth, maxValues }: Pick<DocumentBounds, 'maxValueDepth' | 'maxValues'>,
): string | null {
  if (!Number.isFinite(Math.min(maxValueDepth, maxValues))) return null
  let count = 0
  return faultBelow(values, 0) ?? beyond(count, maxValues, TOO_MANY_VALUES)

  function faultBelow(value: unknown, depth: number): string | null {
    if (typeof value !== 'object' || value === null || isNumeral(value)) {
      count += 1
      return beyond(count, maxValues, TOO_MANY_VALUES)
    }
    const tooDeep = beyond(depth, maxValueDepth, 'a value is nested too deeply')
    if (tooDeep) return tooDeep
    const items: unknown[] = Object.values(value)
    if (items.length === 0) count += 1
    for (const item of items) {
      const fault = faultBelow(item, depth + 1)
      if (fault) return fault
    }
    return null
  }
}

const TOO_MANY_VALUES = 'the operation has too many values'

/** Returns an error if the literals of a document are too many or too deep, or null. Unused literals count too. */
export function findLiteralsFault(
  document: DocumentNode,
  bounds: Pick<DocumentBounds, 'maxValueDepth' | 'maxValues'>,
): string | null {
  if (!Number.isFinite(Math.min(bounds.maxValueDepth, bounds.maxValues))) return null
  const literals: unknown[] = []
  visit(document, {
    Argument({ value }) {
      literals.push(shapeOf(value))
      return false
    },
    VariableDefinition({ defaultValue }) {
      if (defaultValue) literals.push(shapeOf(defaultValue))
      return false
    },
  })
  return findValuesFault(literals, bounds)
}

/** Returns the nested lists and objects of a literal, without names and values. */
function shapeOf(node: ValueNode): unknown {
  if (node.kind === Kind.LIST) return node.values.map(shapeOf)
  if (node.kind === Kind.OBJECT) return node.fields.map(({ value }) => shapeOf(value))
  return null
}

function beyond(size: number, limit: number, message: string): string | null {
  return size > limit ? `${message}: ${size} > ${limit}` : null
}
