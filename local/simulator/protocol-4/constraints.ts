import { z } from 'zod'

/** Which of the requested credentials a proof must have. A text is the identifier of a requested credential. */
export type Constraints =
  | { all: ConstraintNode[] }
  | { any: ConstraintNode[] }
  | { enumerate: ConstraintNode[] }

type ConstraintNode = string | Constraints

const Node: z.ZodType<ConstraintNode> = z.lazy(() => z.union([z.string(), Expression]))

const Expression: z.ZodType<Constraints> = z.union([
  z.strictObject({ all: z.array(Node).min(1) }),
  z.strictObject({ any: z.array(Node).min(1) }),
  z.strictObject({ enumerate: z.array(Node).min(1) }),
])

/** The bounds of the protocol: an expression inside the first one, and 12 nodes in total. */
const MAX_DEPTH = 2
const MAX_NODES = 12

export const Constraints = Expression.refine((constraints) => depthOf(constraints) <= MAX_DEPTH, {
  error: `Must not be nested deeper than ${MAX_DEPTH} levels.`,
}).refine((constraints) => countNodes(constraints) <= MAX_NODES, {
  error: `Must have at most ${MAX_NODES} nodes.`,
})

/**
 * Selects the credentials that satisfy constraints.
 *
 * `all` selects every child, `any` the first child that can be satisfied, and `enumerate` every child that can be.
 *
 * @returns identifiers, or null if the available credentials do not satisfy the constraints
 */
export function selectCredentials(
  node: ConstraintNode,
  isAvailable: (identifier: string) => boolean,
): string[] | null {
  if (typeof node === 'string') return isAvailable(node) ? [node] : null
  const selections = childrenOf(node).map((child) => selectCredentials(child, isAvailable))
  const satisfied = selections.filter((selection) => selection !== null)
  if ('all' in node) return satisfied.length === selections.length ? satisfied.flat() : null
  if ('any' in node) return satisfied[0] ?? null
  return satisfied.length > 0 ? satisfied.flat() : null
}

function childrenOf(constraints: Constraints): readonly ConstraintNode[] {
  if ('all' in constraints) return constraints.all
  return 'any' in constraints ? constraints.any : constraints.enumerate
}

function depthOf(node: ConstraintNode): number {
  return typeof node === 'string' ? 0 : 1 + Math.max(...childrenOf(node).map(depthOf))
}

function countNodes(node: ConstraintNode): number {
  if (typeof node === 'string') return 1
  return 1 + childrenOf(node).reduce((sum, child) => sum + countNodes(child), 0)
}
