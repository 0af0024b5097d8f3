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
 * Follows every fragment that the operation spreads.
 *
 * @returns the variables in the operation's fields and in all directives, those of the operation itself included
 * @throws validation-failed for a fragment that is not there or that contains itself
 */
export function followFragments(
  node: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const done = new Set<string>()
  const used = new Set<string>()
  noteDirectives(node.directives ?? [])
  follow(node.selectionSet, '$', [])
  return used

  function follow({ selections }: SelectionSetNode, path: string, within: readonly string[]) {
    for (const selection of selections) {
      noteDirectives(selection.directives ?? [])
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        enter(selection.name.value, `${path}.selectionSet`, within)
      else if (selection.kind === Kind.INLINE_FRAGMENT) follow(selection.selectionSet, path, within)
      else {
        noteFields(selection.arguments ?? [])
        const own = `${path}.selectionSet.${selection.name.value}`
        if (selection.selectionSet) follow(selection.selectionSet, own, within)
      }
    }
  }
  function enter(name: string, path: string, within: readonly string[]) {
    if (done.has(name)) return
    if (within.includes(name)) {
      const all = within.slice(within.indexOf(name))
      throw validationError(path, `the fragment definition(s) ${listedInWords(all)} form a cycle`)
    }
    const fragment = fragments.get(name)
    if (!fragment) throw validationError(path, `reference to undefined fragment "${name}"`)
    follow(fragment.selectionSet, `${path}.${name}`, [...within, name])
    done.add(name)
  }
  function noteDirectives(directives: readonly DirectiveNode[]) {
    for (const { arguments: given = [] } of directives) noteFields(given)
  }
  /** Notes the variables in arguments or in an object's members, and refuses repeated names. */
  function noteFields(fields: readonly (ArgumentNode | ObjectFieldNode)[]) {
    for (const { value } of fields) noteVariables(value)
    if (fields.length < 2) return
    if (firstRepeated(fields.map(({ name }) => name.value)) !== undefined)
      throw unreadableDocument()
  }
  function noteVariables(value: ValueNode) {
    if (value.kind === Kind.VARIABLE) used.add(value.name.value)
    else if (value.kind === Kind.LIST) value.values.forEach(noteVariables)
    else if (value.kind === Kind.OBJECT) noteFields(value.fields)
  }
}

function listedInWords(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
}
