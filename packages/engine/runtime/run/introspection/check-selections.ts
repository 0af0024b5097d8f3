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
  /** The number of `LISTS` around the field. */
  lists: number
  fragments: Operation['fragments']
}

/** Lists that multiply the size of the result when nested. */
const LISTS: ReadonlySet<string> = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes'])
const MAX_NESTED_LISTS = 2

/**
 * Checks a field of introspection and its selection, in the order of the document.
 *
 * @throws validation-failed for unknown fields and arguments, wrong selections, and too deeply nested lists
 */
export function checkMetaField(node: FieldNode, { field, path, lists, fragments }: Place): void {
  const { selectionSet } = node
  const listDepth = LISTS.has(field.name) ? lists + 1 : lists
  if (listDepth > MAX_NESTED_LISTS)
    throw validationError(path, 'introspection is nested too deeply')
  const argumentNames = (node.arguments ?? []).map((argument) => argument.name.value)
  const unknownName = argumentNames.find(
    (name) => !field.args.some((argument) => argument.name === name),
  )
  if (unknownName !== undefined)
    throw validationError(path, `'${field.name}' has no argument named '${unknownName}'`)
  const missingArgument = field.args.find(
    (arg) => isRequiredArgument(arg) && !argumentNames.includes(arg.name),
  )
  if (missingArgument)
    throw validationError(
      `${path}.args.${missingArgument.name}`,
      `missing required field '${missingArgument.name}'`,
    )
  const type = getNamedType(field.type)
  if (isObjectType(type))
    checkMetaSelections(type, selectionSet, { path, lists: listDepth, fragments })
  else if (selectionSet)
    throw validationError(path, 'unexpected subselection set for non-object field')
}

function checkMetaSelections(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  { path, lists, fragments }: Omit<Place, 'field'>,
): void {
  const selectionPath = `${path}.selectionSet`
  if (!selectionSet)
    throw validationError(selectionPath, `missing selection set for '${type.name}'`)
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value
      if (name === '__typename') continue
      const field = ownValue(type.getFields(), name)
      const fieldPath = `${selectionPath}.${name}`
      if (!field)
        throw validationError(fieldPath, `field '${name}' not found in type: '${type.name}'`)
      checkMetaField(selection, { field, path: fieldPath, lists, fragments })
      continue
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    const condition = fragment?.typeCondition?.name.value ?? type.name
    if (condition === type.name)
      checkMetaSelections(type, fragment?.selectionSet, { path, lists, fragments })
  }
}
