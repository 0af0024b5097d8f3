import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Operation } from '../../../compiler/plan/document/operation.ts'
import { validationError } from '../../../errors.ts'
import { ownValue } from '../../../json/own-value.ts'

type Place = {
  field: GraphQLField<unknown, unknown>
  path: string
  /** How many of `LISTS` it is in. */
  lists: number
  fragments: Operation['fragments']
}

/** Lists that multiply the size of the answer when they are nested in one another. */
const LISTS: ReadonlySet<string> = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes'])
const MAX_NESTED_LISTS = 2

/**
 * Checks a field of introspection and everything below it, in the order of the document.
 *
 * @throws validation-failed for unknown fields and arguments, wrong selections, and lists that are nested too deeply
 */
export function checkMetaField(node: FieldNode, { field, path, lists, fragments }: Place): void {
  const { selectionSet } = node
  const within = LISTS.has(field.name) ? lists + 1 : lists
  if (within > MAX_NESTED_LISTS) throw validationError(path, 'introspection is nested too deeply')
  const given = (node.arguments ?? []).map((argument) => argument.name.value)
  const other = given.find((name) => !field.args.some((argument) => argument.name === name))
  if (other !== undefined)
    throw validationError(path, `'${field.name}' has no argument named '${other}'`)
  const missing = field.args.find((arg) => isRequiredArgument(arg) && !given.includes(arg.name))
  if (missing)
    throw validationError(
      `${path}.args.${missing.name}`,
      `missing required field '${missing.name}'`,
    )
  const type = getNamedType(field.type)
  if (isObjectType(type))
    checkMetaSelections(type, selectionSet, { path, lists: within, fragments })
  else if (selectionSet)
    throw validationError(path, 'unexpected subselection set for non-object field')
}

function checkMetaSelections(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  { path, lists, fragments }: Omit<Place, 'field'>,
): void {
  const inside = `${path}.selectionSet`
  if (!selectionSet) throw validationError(inside, `missing selection set for '${type.name}'`)
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value
      if (name === '__typename') continue
      const field = ownValue(type.getFields(), name)
      const below = `${inside}.${name}`
      if (!field) throw validationError(below, `field '${name}' not found in type: '${type.name}'`)
      checkMetaField(selection, { field, path: below, lists, fragments })
      continue
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    const condition = fragment?.typeCondition?.name.value ?? type.name
    if (condition === type.name)
      checkMetaSelections(type, fragment?.selectionSet, { path, lists, fragments })
  }
}
