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

/** The schema of the object that is answered for a selection. */
export function selectionSchema(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): JsonSchema {
  const selected = sets.flatMap((set) => selectedFields(set, fragments))
  const properties = [...Map.groupBy(selected, ({ as }) => as)].map(([as, all]) => {
    const [first] = all
    const field = first && ownValue(type.getFields(), first.name)
    const below = all.flatMap(({ below }) => below)
    return [as, field ? answeredSchema(field.type, below, fragments) : TYPENAME] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** The only field that is in no type. */
const TYPENAME: JsonSchema = { type: 'string' }

type SelectedField = { as: string; name: string; below: readonly SelectionSetNode[] }

function selectedFields({ selections }: SelectionSetNode, fragments: Fragments): SelectedField[] {
  return selections.flatMap((one): SelectedField[] => {
    if (one.kind === Kind.INLINE_FRAGMENT) return selectedFields(one.selectionSet, fragments)
    if (one.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(one.name.value)
      // Without itself: a fragment that contains itself is refused when the query runs.
      const others = new Map([...fragments].filter(([name]) => name !== one.name.value))
      return fragment ? selectedFields(fragment.selectionSet, others) : []
    }
    const name = one.name.value
    const below = one.selectionSet ? [one.selectionSet] : []
    return [{ as: one.alias?.value ?? name, name, below }]
  })
}

function answeredSchema(
  type: GraphQLType,
  below: readonly SelectionSetNode[],
  fragments: Fragments,
): JsonSchema {
  if (isNonNullType(type)) {
    const { nullable: _, ...schema } = answeredSchema(type.ofType, below, fragments)
    return schema
  }
  if (isListType(type))
    return { type: 'array', items: answeredSchema(type.ofType, below, fragments), nullable: true }
  const schema = isObjectType(type) ? selectionSchema(type, below, fragments) : leafSchema(type)
  return { ...schema, nullable: true }
}
