import {
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { EngineError } from '../../errors.ts'

/** How deep an operation may be nested, and how many fields it may have with those of its fragments. */
export type Bounds = { maxDocumentDepth: number; maxDocumentFields: number }

type Measured = {
  node: Pick<OperationDefinitionNode, 'selectionSet'>
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Refuses an operation that is too deep or too long, before any work is done for it. */
export function checkSize(
  { node, fragments }: Measured,
  { maxDocumentDepth, maxDocumentFields }: Bounds,
) {
  const sizes = new Map<string, { fields: number; depth: number }>()
  const { fields, depth } = sizeOf(node.selectionSet)
  if (depth > maxDocumentDepth)
    throw new EngineError(
      'validation-failed',
      `the operation is nested too deeply: ${depth} > ${maxDocumentDepth}`,
    )
  if (fields > maxDocumentFields)
    throw new EngineError(
      'validation-failed',
      `the operation has too many fields: ${fields} > ${maxDocumentFields}`,
    )

  function sizeOf({ selections }: SelectionSetNode): { fields: number; depth: number } {
    const parts = selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value)
      const below = selection.selectionSet
        ? sizeOf(selection.selectionSet)
        : { fields: 0, depth: 0 }
      return selection.kind === Kind.FIELD
        ? { fields: below.fields + 1, depth: below.depth + 1 }
        : below
    })
    return {
      fields: parts.reduce((sum, part) => sum + part.fields, 0),
      depth: parts.reduce((most, part) => Math.max(most, part.depth), 0),
    }
  }
  function sizeOfFragment(name: string) {
    const fragment = fragments.get(name)
    const size =
      sizes.get(name) ?? (fragment ? sizeOf(fragment.selectionSet) : { fields: 0, depth: 0 })
    sizes.set(name, size)
    return size
  }
}
