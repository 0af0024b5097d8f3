import { VERIFICATION_LEVELS, type VerificationLevel } from '../../lib/proof/verification-level.ts'
import { TREE_DEPTH } from './development-key/key-files.ts'
import { type Group, personGroup } from './group.ts'
import { type Identity, identityCommitment, simulatedIdentity } from './identity.ts'

const RESIDENTS = Array.from({ length: 64 }, (_, index) => `person-${index}`)

/** A person with the index of the person's leaf in a group. */
export type Member = { identity: Identity; group: Group; index: number }

/**
 * Returns the simulated person of a seed, in the group of a level.
 *
 * `person-0` to `person-63` are always members, so they share a root. Any other person joins as the 65th member, which
 * gives the group another root. The next such person replaces this member. The chain stores earlier roots, so a proof for
 * a superseded root is valid until a verifier rejects the root as too old.
 */
export function simulatedMember(seed: string, level: VerificationLevel = 'orb'): Member {
  const residents = residentsOf(level)
  const seeds = residents.includes(seed) ? residents : [...residents, seed]
  const commitments = seeds.map((each) => identityCommitment(simulatedIdentity(each)))
  return {
    identity: simulatedIdentity(seed),
    group: personGroup(commitments, TREE_DEPTH),
    index: seeds.indexOf(seed),
  }
}

/** Returns the 64 residents in an order that depends on the level, so that each group has a different root. */
function residentsOf(level: VerificationLevel): readonly string[] {
  const first = VERIFICATION_LEVELS.indexOf(level)
  return [...RESIDENTS.slice(first), ...RESIDENTS.slice(0, first)]
}
