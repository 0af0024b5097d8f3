import {
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { valueFromASTUntyped } from 'graphql/utilities/valueFromASTUntyped.js'
import { isNumeral } from '../../lib/runtime/exact-json.ts'

type Operation = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/**
 * Counts the subqueries and statements that Hasura creates for the values in an operation: for relations and aggregates
 * in conditions and orders, for lists of updates, and for nested rows. A fragment counts each time that it is spread.
 */
export function relationsInOperation({ selectionSet, fragments }: Operation): number {
  const fragmentCounts = new Map<string, number>()
  return countIn(selectionSet)

  function countIn({ selections }: SelectionSetNode): number {
    return sumOf(selections, (selection) => {
      const argumentCount = relationsInArguments(selection)
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return argumentCount + countInFragment(selection.name.value)
      return argumentCount + (selection.selectionSet ? countIn(selection.selectionSet) : 0)
    })
  }

  function countInFragment(name: string): number {
    const cachedCount = fragmentCounts.get(name)
    if (cachedCount !== undefined) return cachedCount
    // Ends the recursion of a fragment that contains itself. Another check refuses such a fragment.
    fragmentCounts.set(name, 0)
    const fragment = fragments.get(name)
    const count = fragment ? countIn(fragment.selectionSet) : 0
    fragmentCounts.set(name, count)
    return count
  }
}

function relationsInArguments(selection: SelectionNode): number {
  const fieldArguments = selection.kind === Kind.FIELD ? (selection.arguments ?? []) : []
  return sumOf(fieldArguments, ({ value }) => relationsInValue(valueFromASTUntyped(value)))
}

/**
 * Counts the subqueries and statements for a JSON value, such as the value of a variable. The schema is unknown here. So a
 * member counts as a relation if its name is no operator, and its value is an object with a name or a logical operator as
 * a key.
 */
export function relationsInValue(value: unknown): number {
  if (typeof value !== 'object' || value === null || isNumeral(value)) return 0
  if (Array.isArray(value)) return sumOf(value, relationsInValue)
  return sumOf(
    Object.entries(value),
    ([name, member]: [string, unknown]) =>
      (isRelation(name, member) ? 1 : 0) + relationsInValue(member),
  )
}

function isRelation(name: string, member: unknown): boolean {
  if (name.startsWith('_') || typeof member !== 'object' || member === null) return false
  if (Array.isArray(member)) return false
  return Object.keys(member).some((key) => !key.startsWith('_') || LOGIC.has(key))
}

const LOGIC: ReadonlySet<string> = new Set(['_and', '_or', '_not', '_exists'])

function sumOf<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0)
}
