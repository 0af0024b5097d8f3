import { poseidon2 } from 'poseidon-lite/poseidon2'
import { expect, test } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { personGroup } from '../../../local/simulator/group.ts'

test('a group without people has the same root as in the public circuit', () => {
  expect(formatField(personGroup([], 30).root)).toBe(
    '0x0918d46bf52d98b034413f4a1a1c41594e7a7a3f6ae08cb43d1a2a230e1959ef',
  )
})

test('a tree of two levels has the root computed by hand', () => {
  const root = poseidon2([poseidon2([1n, 2n]), poseidon2([3n, 0n])])
  expect(personGroup([1n, 2n, 3n], 2).root).toBe(root)
})

test.each([1, 2, 3, 5, 8])('in a group of %i people every path gives the root', (count) => {
  const people = Array.from({ length: count }, (_, index) => BigInt(100 + index))
  const { root, path } = personGroup(people, 6)
  for (const [index, person] of people.entries()) expect(climb(person, path(index))).toBe(root)
})

test('the path of an empty leaf gives the root', () => {
  const { root, path } = personGroup([7n], 4)
  expect(climb(0n, path(9))).toBe(root)
})

function climb(leaf: bigint, { isRight, sibling }: { isRight: number[]; sibling: bigint[] }) {
  return sibling.reduce(
    (node, other, level) => poseidon2(isRight[level] ? [other, node] : [node, other]),
    leaf,
  )
}
