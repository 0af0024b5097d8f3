import {
  type ArgumentNode,
  type DirectiveNode,
  type FragmentDefinitionNode,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql/language/index.js'
import { validationError } from '../../../errors.ts'
import { firstRepeated } from './first-repeated.ts'
import { unreadableDocument } from './unreadable-document.ts'

/**
 * Visits every fragment that the operation spreads.
 *
 * @returns the variables in the operation's fields and in all directives, including the operation's directives
 * @throws validation-failed for a fragment that does not exist or contains itself, and for a repeated argument or member
 */
export function followFragments(
  node: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const visitedFragments = new Set<string>()
  const variables = new Set<string>()
  addDirectives(node.directives ?? [])
  follow(node.selectionSet, '$', [])
  return variables

  function follow(
    { selections }: SelectionSetNode,
    path: string,
    enclosingFragments: readonly string[],
  ) {
    for (const selection of selections) {
      addDirectives(selection.directives ?? [])
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        enter(selection.name.value, `${path}.selectionSet`, enclosingFragments)
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        follow(selection.selectionSet, path, enclosingFragments)
      else {
        addFields(selection.arguments ?? [])
        const fieldPath = `${path}.selectionSet.${selection.name.value}`
        if (selection.selectionSet) follow(selection.selectionSet, fieldPath, enclosingFragments)
      }
    }
  }
  function enter(name: string, path: string, enclosingFragments: readonly string[]) {
    if (visitedFragments.has(name)) return
    if (enclosingFragments.includes(name)) {
      const cycle = enclosingFragments.slice(enclosingFragments.indexOf(name))
      throw validationError(path, `the fragment definition(s) ${listInWords(cycle)} form a cycle`)
    }
    const fragment = fragments.get(name)
    if (!fragment) throw validationError(path, `reference to undefined fragment "${name}"`)
    follow(fragment.selectionSet, `${path}.${name}`, [...enclosingFragments, name])
    visitedFragments.add(name)
  }
  function addDirectives(directives: readonly DirectiveNode[]) {
    for (const { arguments: fields = [] } of directives) addFields(fields)
  }
  /** Adds the variables in arguments or in an object's members, and rejects repeated names. */
  function addFields(fields: readonly (ArgumentNode | ObjectFieldNode)[]) {
    for (const { value } of fields) addVariables(value)
    if (fields.length < 2) return
    if (firstRepeated(fields.map(({ name }) => name.value)) !== undefined)
      throw unreadableDocument()
  }
  function addVariables(value: ValueNode) {
    if (value.kind === Kind.VARIABLE) variables.add(value.name.value)
    else if (value.kind === Kind.LIST) value.values.forEach(addVariables)
    else if (value.kind === Kind.OBJECT) addFields(value.fields)
  }
}

function listInWords(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
}
