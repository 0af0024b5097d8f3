import { expect, test } from 'vitest'
import { commitment, identity, nullifierHash } from '../../simulator/identity.ts'
import { member } from '../../simulator/people.ts'

test('a seed is the same person each time, and no other seed is', () => {
  expect(identity('anna')).toEqual(identity('anna'))
  expect(commitment(identity('anna'))).not.toBe(commitment(identity('Anna')))
  expect(identity('0x12')).not.toEqual(identity('\x12'))
})

test('a person has one nullifier for each purpose', () => {
  const anna = identity('anna')
  expect(nullifierHash(anna, 1n)).toBe(nullifierHash(anna, 1n))
  expect(nullifierHash(anna, 1n)).not.toBe(nullifierHash(anna, 2n))
  expect(nullifierHash(anna, 1n)).not.toBe(nullifierHash(identity('ben'), 1n))
})

test('the residents share one root', () => {
  expect(member('person-0').group.root).toBe(member('person-63').group.root)
  expect(member('person-0').index).not.toBe(member('person-63').index)
})

test('anybody may join; the residents keep their root', () => {
  const anna = member('anna')
  expect(anna.index).toBe(64)
  expect(anna.group.root).not.toBe(member('person-0').group.root)
  expect(anna.group.root).toBe(member('anna').group.root)
})
