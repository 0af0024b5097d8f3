import { poseidon2 } from 'poseidon-lite/poseidon2'
import { requireValue } from '../../lib/runtime/require-value.ts'

/** A Merkle tree of people, of which only the non-empty part is stored. */
export type Group = {
  root: bigint
  /** Returns the Merkle path of a leaf: for each level, 1 if the node is the right child, and the node's sibling. */
  path(index: number): { isRight: number[]; sibling: bigint[] }
}

/** Creates a tree of Poseidon hashes with the commitments in its first leaves. The other leaves are 0. */
export function personGroup(commitments: readonly bigint[], depth: number): Group {
  const empty = emptyTreeRoots(depth)
  const levels = [commitments]
  for (let level = 0; level < depth; level++)
    levels.push(
      parentHashes(
        requireValue(levels[level], 'a level'),
        requireValue(empty[level], 'its empty tree'),
      ),
    )

  return {
    // Without people the levels are empty.
    root: requireValue(levels[depth]?.[0] ?? empty[depth], 'the root of an empty tree'),
    path: (index) => ({
      isRight: empty.slice(0, depth).map((_, level) => (index >> level) & 1),
      sibling: empty
        .slice(0, depth)
        .map((hash, level) => levels[level]?.[(index >> level) ^ 1] ?? hash),
    }),
  }
}

/** Returns the roots of empty trees, by depth from 0. */
function emptyTreeRoots(depth: number): bigint[] {
  const roots = [0n]
  for (let last = 0n; roots.length <= depth; roots.push(last)) last = poseidon2([last, last])
  return roots
}

function parentHashes(children: readonly bigint[], empty: bigint): bigint[] {
  return Array.from({ length: Math.ceil(children.length / 2) }, (_, index) =>
    poseidon2([children[2 * index] ?? empty, children[2 * index + 1] ?? empty]),
  )
}
