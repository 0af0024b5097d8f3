import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { ownValue } from '../../../json/own-value.ts'
import { type JsonSchema, leafSchema } from './input-schemas.ts'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** Returns the schema of the result of a selection. */
export function selectionSchema(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): JsonSchema {
  const selections = sets.flatMap((set) => selectedFields(set, fragments))
  const properties = [...Map.groupBy(selections, ({ as }) => as)].map(([as, sameKey]) => {
    const [first] = sameKey
    const field = first && ownValue(type.getFields(), first.name)
    const subsets = sameKey.flatMap((selection) => selection.subsets)
    return [as, field ? resultSchema(field.type, subsets, fragments) : TYPENAME] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** The schema of a field that the type does not list, such as `__typename`. */
const TYPENAME: JsonSchema = { type: 'string' }

/** A selected field with its key in the result, and its selection sets. */
type SelectedField = { as: string; name: string; subsets: readonly SelectionSetNode[] }

function selectedFields({ selections }: SelectionSetNode, fragments: Fragments): SelectedField[] {
  return selections.flatMap((one): SelectedField[] => {
    if (one.kind === Kind.INLINE_FRAGMENT) return selectedFields(one.selectionSet, fragments)
    if (one.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(one.name.value)
      // Excludes the fragment itself, to end the recursion. The query will fail if a fragment contains itself.
      const otherFragments = new Map([...fragments].filter(([name]) => name !== one.name.value))
      return fragment ? selectedFields(fragment.selectionSet, otherFragments) : []
    }
    const name = one.name.value
    const subsets = one.selectionSet ? [one.selectionSet] : []
    return [{ as: one.alias?.value ?? name, name, subsets }]
  })
}

function resultSchema(
  type: GraphQLType,
  subsets: readonly SelectionSetNode[],
  fragments: Fragments,
): JsonSchema {
  if (isNonNullType(type)) {
    const { nullable: _, ...schema } = resultSchema(type.ofType, subsets, fragments)
    return schema
  }
  if (isListType(type))
    return { type: 'array', items: resultSchema(type.ofType, subsets, fragments), nullable: true }
  const schema = isObjectType(type) ? selectionSchema(type, subsets, fragments) : leafSchema(type)
  return { ...schema, nullable: true }
}
