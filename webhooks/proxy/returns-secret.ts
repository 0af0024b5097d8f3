import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql/language/index.js'

/** The mutations whose responses have a new secret: all actions of hasura/metadata/actions.graphql that show it only once. */
export const SECRET_MUTATIONS: ReadonlySet<string> = new Set([
  'claim_client',
  'create_api_key',
  'create_request_key',
  'reset_api_key',
  'reset_client_secret',
  'rotate_request_key',
])

type Operation = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Returns true if an operation calls a mutation that returns a secret, under any alias and in any fragment. */
export function returnsSecret({ selectionSet, fragments }: Operation): boolean {
  const visited = new Set<string>()
  return callsIn(selectionSet)

  function callsIn({ selections }: SelectionSetNode): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return SECRET_MUTATIONS.has(selection.name.value)
      if (selection.kind === Kind.INLINE_FRAGMENT) return callsIn(selection.selectionSet)
      const name = selection.name.value
      const fragment = fragments.get(name)
      if (fragment === undefined || visited.has(name)) return false
      visited.add(name)
      return callsIn(fragment.selectionSet)
    })
  }
}
