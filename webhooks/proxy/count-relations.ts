import {
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { valueFromASTUntyped } from 'graphql/utilities/valueFromASTUntyped.js'
import { isNumeral } from '../../lib/runtime/exact-json.ts'

type Measured = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/**
 * How many subqueries and statements Hasura makes of the values that an operation contains: of relations and aggregates
 * in conditions and orders, updates of a list, rows with nested rows. What a fragment contains counts each time that it
 * is spread.
 */
export function relationsInOperation({ selectionSet, fragments }: Measured): number {
  const known = new Map<string, number>()
  return countIn(selectionSet)

  function countIn({ selections }: SelectionSetNode): number {
    return sumOf(selections, (selection) => {
      const own = relationsInArguments(selection)
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return own + countInFragment(selection.name.value)
      return own + (selection.selectionSet ? countIn(selection.selectionSet) : 0)
    })
  }

  function countInFragment(name: string): number {
    const before = known.get(name)
    if (before !== undefined) return before
    // Ends the recursion of a fragment that contains itself, which is refused elsewhere.
    known.set(name, 0)
    const fragment = fragments.get(name)
    const count = fragment ? countIn(fragment.selectionSet) : 0
    known.set(name, count)
    return count
  }
}

function relationsInArguments(selection: SelectionNode): number {
  const given = selection.kind === Kind.FIELD ? (selection.arguments ?? []) : []
  return sumOf(given, ({ value }) => relationsInValue(valueFromASTUntyped(value)))
}

/**
 * The same for a value, such as a variable's, which is JSON. The schema is not known here: a relation is a member with
 * members of its own that are no operators.
 */
export function relationsInValue(value: unknown): number {
  if (typeof value !== 'object' || value === null || isNumeral(value)) return 0
  if (Array.isArray(value)) return sumOf(value, relationsInValue)
  return sumOf(
    Object.entries(value),
    ([name, of]: [string, unknown]) => (isRelation(name, of) ? 1 : 0) + relationsInValue(of),
  )
}

function isRelation(name: string, of: unknown): boolean {
  if (name.startsWith('_') || typeof of !== 'object' || of === null) return false
  return !Array.isArray(of) && Object.keys(of).some((key) => !key.startsWith('_') || LOGIC.has(key))
}

const LOGIC: ReadonlySet<string> = new Set(['_and', '_or', '_not', '_exists'])

function sumOf<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0)
}
