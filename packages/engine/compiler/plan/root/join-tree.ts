import type { EdgePart, Field, Output, Root, Shape } from '../../ir/ir.ts'
import type { OutputField } from './action.ts'

/**
 * The places of remote relationships in a response. Each key has the number of a relationship, or the tree for the
 * value at this key. The items of a list share one tree.
 */
export type JoinTree = ReadonlyMap<string, number | JoinTree>

/** Returns the remote relationships in the value of a root field. */
export function joinsOfRoot(root: Root): JoinTree {
  return root.kind === 'select' ? joinsOfShape(root.shape) : joinsOfOutput(root.output)
}

/** Returns the remote relationships in the rows of a shape. */
export function joinsOfShape(shape: Shape): JoinTree {
  switch (shape.kind) {
    case 'object':
    case 'list':
      return joinsOfFields(shape.fields)
    case 'aggregate':
      return treeOf(
        shape.parts.map(({ as, ...part }) => [
          as,
          part.kind === 'nodes' ? joinsOfFields(part.fields) : NONE,
        ]),
      )
    case 'connection':
      return treeOf(
        shape.parts.map(({ as, ...part }) => [
          as,
          part.kind === 'edges' ? joinsOfEdges(part.parts) : NONE,
        ]),
      )
    case 'scalar':
    case 'typename':
      return NONE
  }
}

function joinsOfEdges(parts: readonly EdgePart[]): JoinTree {
  return treeOf(
    parts.map(({ as, ...part }) => [as, part.kind === 'node' ? joinsOfFields(part.fields) : NONE]),
  )
}

/** Returns the remote relationships in the result of an action; they are in its related rows. */
export function joinsOfAction(fields: readonly OutputField[] | null): JoinTree {
  return treeOf(
    (fields ?? []).map((field) => {
      if (field.kind === 'related') return [field.as, joinsOfShape(field.shape)]
      return [field.as, field.kind === 'value' ? joinsOfAction(field.fields) : NONE]
    }),
  )
}

const NONE: JoinTree = new Map()

function joinsOfOutput(output: Output): JoinTree {
  if (output.kind === 'row') return joinsOfFields(output.fields)
  return treeOf(
    output.parts.map((part) => [
      part.as,
      part.kind === 'returning' ? joinsOfFields(part.fields) : NONE,
    ]),
  )
}

function joinsOfFields(fields: readonly Field[]): JoinTree {
  return treeOf(
    fields.map((field) => [
      field.as,
      field.kind === 'scalar' && field.join !== undefined ? field.join : joinsOfShape(field),
    ]),
  )
}

function treeOf(entries: readonly (readonly [string, number | JoinTree])[]): JoinTree {
  return new Map(entries.filter(([, below]) => typeof below === 'number' || below.size > 0))
}
