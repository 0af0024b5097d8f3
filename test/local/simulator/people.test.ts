import { expect, test } from 'vitest'
import {
  identityCommitment,
  personNullifierHash,
  simulatedIdentity,
} from '../../../local/simulator/identity.ts'
import { simulatedMember } from '../../../local/simulator/people.ts'

test('a seed always gives the same person, and another seed gives another person', () => {
  expect(simulatedIdentity('anna')).toEqual(simulatedIdentity('anna'))
  expect(identityCommitment(simulatedIdentity('anna'))).not.toBe(
    identityCommitment(simulatedIdentity('Anna')),
  )
  expect(simulatedIdentity('0x12')).not.toEqual(simulatedIdentity('\x12'))
})

test('a person has a different nullifier for each purpose', () => {
  const anna = simulatedIdentity('anna')
  expect(personNullifierHash(anna, 1n)).toBe(personNullifierHash(anna, 1n))
  expect(personNullifierHash(anna, 1n)).not.toBe(personNullifierHash(anna, 2n))
  expect(personNullifierHash(anna, 1n)).not.toBe(personNullifierHash(simulatedIdentity('ben'), 1n))
})

test('person-0 to person-63 share a root', () => {
  expect(simulatedMember('person-0').group.root).toBe(simulatedMember('person-63').group.root)
  expect(simulatedMember('person-0').index).not.toBe(simulatedMember('person-63').index)
})

test('another person joins as the 65th member and gives the group another root', () => {
  const anna = simulatedMember('anna')
  expect(anna.index).toBe(64)
  expect(anna.group.root).not.toBe(simulatedMember('person-0').group.root)
  expect(anna.group.root).toBe(simulatedMember('anna').group.root)
})
