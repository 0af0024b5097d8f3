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

/** How large an operation of GraphQL may be. */
export type DocumentBounds = {
  /** Of the document's text. */
  maxBytes: number
  /** How deep fields may be nested. */
  maxDepth: number
  /** How deep objects and lists may be nested within a value. */
  maxValueDepth: number
  /** Including the fields of fragments, which count each time that the fragment is spread. */
  maxFields: number
  /**
   * Scalars (numbers, texts and the like), and empty objects and lists: as many in the document, and as many in the
   * variables, where those of a variable count each time it is used.
   */
  maxValues: number
  /** Of the variables as JSON; those of a variable count each time it is used. */
  maxVariableBytes: number
  /** Relations and aggregates in conditions and orders, updates of a list, rows with nested rows. */
  maxSubqueries: number
}

/** For callers without the admin secret: ten times what is usual. */
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
 * Ten times what a field with its arguments takes. It stops the parser in documents that hardly contain any
 * fields.
 */
export const MAX_TOKENS_PER_FIELD = 50

/** What is wrong with the length of a document; null if nothing is. */
export function lengthFault(text: string, { maxBytes }: DocumentBounds): string | null {
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return null
  return beyond(Buffer.byteLength(text), maxBytes, 'the document has too many bytes')
}

/** A UTF-16 unit of a text has at most three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3

type Measured = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** What is wrong with the depth or the number of fields of an operation; null if nothing is. */
export function fieldsFault(
  { selectionSet, fragments }: Measured,
  { maxDepth, maxFields }: Pick<DocumentBounds, 'maxDepth' | 'maxFields'>,
): string | null {
  const { fields, depth } = sizeOfSelections(selectionSet, fragments)
  return (
    beyond(depth, maxDepth, 'the operation is nested too deeply') ??
    beyond(fields, maxFields, 'the operation has too many fields')
  )
}

/** How often an operation uses each of its variables, also those of fragments, each time one is spread. */
export function variableUses({ selectionSet, fragments }: Measured): ReadonlyMap<string, number> {
  const known = new Map<string, ReadonlyMap<string, number>>()
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
    const uses = known.get(name)
    if (uses) return uses
    // Ends the recursion of a fragment that contains itself, which is refused elsewhere.
    known.set(name, new Map())
    const found = fragment ? usesIn(fragment.selectionSet) : new Map<string, number>()
    known.set(name, found)
    return found
  }
}

/**
 * The variables in the arguments and directives of a selection, but not of what is below it. graphql-js's `visit` took half of
 * the time in which a document is read.
 */
function variablesOf(selection: SelectionNode): string[] {
  const given = selection.kind === Kind.FIELD ? (selection.arguments ?? []) : []
  const ofDirectives = selection.directives?.flatMap((directive) => directive.arguments ?? []) ?? []
  return [...given, ...ofDirectives].flatMap(({ value }) => variablesIn(value))
}

function variablesIn(node: ValueNode): string[] {
  if (node.kind === Kind.VARIABLE) return [node.name.value]
  if (node.kind === Kind.LIST) return node.values.flatMap(variablesIn)
  return node.kind === Kind.OBJECT ? node.fields.flatMap(({ value }) => variablesIn(value)) : []
}

function addUses(uses: Map<string, number>, more: Iterable<readonly [string, number]>) {
  for (const [name, count] of more) uses.set(name, (uses.get(name) ?? 0) + count)
}

/** What is wrong with the variables of an operation, each of which costs as often as it is used; null if nothing is. */
export function usesFault(
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
    bytes += count * JSON.stringify(value).length
  }
  return (
    beyond(values, maxValues, `${TOO_MANY_VALUES}, as often as its variables are used`) ??
    beyond(bytes, maxVariableBytes, 'the variables have too many bytes, as often as they are used')
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
  const known = new Map<string, Size>()
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
      depth: parts.reduce((most, part) => Math.max(most, part.depth), 0),
    }
  }

  function sizeOfFragment(name: string): Size {
    const fragment = fragments.get(name)
    const size = known.get(name)
    if (size) return size
    // Ends the recursion of a fragment that contains itself, which is refused elsewhere.
    known.set(name, EMPTY)
    const measured = fragment ? sizeOf(fragment.selectionSet) : EMPTY
    known.set(name, measured)
    return measured
  }
}

/** What is wrong with the number or the depth of values, which are JSON; null if nothing is. */
export function valuesFault(
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

/** The same for what is written in a document, whatever an operation uses of it. */
export function literalsFault(
  document: DocumentNode,
  bounds: Pick<DocumentBounds, 'maxValueDepth' | 'maxValues'>,
): string | null {
  if (!Number.isFinite(Math.min(bounds.maxValueDepth, bounds.maxValues))) return null
  const given: unknown[] = []
  visit(document, {
    Argument({ value }) {
      given.push(shapeOf(value))
      return false
    },
    VariableDefinition({ defaultValue }) {
      if (defaultValue) given.push(shapeOf(defaultValue))
      return false
    },
  })
  return valuesFault(given, bounds)
}

/** The lists and objects of a literal, whatever their names and values are. */
function shapeOf(node: ValueNode): unknown {
  if (node.kind === Kind.LIST) return node.values.map(shapeOf)
  if (node.kind === Kind.OBJECT) return node.fields.map(({ value }) => shapeOf(value))
  return null
}

function beyond(found: number, most: number, message: string): string | null {
  return found > most ? `${message}: ${found} > ${most}` : null
}
