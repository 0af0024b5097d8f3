import { VERIFICATION_LEVELS, type VerificationLevel } from '../../lib/proof/verification-level.ts'
import { TREE_DEPTH } from './development-key/key-files.ts'
import { type Group, personGroup } from './group.ts'
import { type Identity, identityCommitment, simulatedIdentity } from './identity.ts'

const RESIDENTS = Array.from({ length: 64 }, (_, index) => `person-${index}`)

/** A person and their place in a group. */
export type Member = { identity: Identity; group: Group; index: number }

/**
 * The simulated person of a seed, with the group of a level that they are in.
 *
 * `person-0` to `person-63` are always members, so they share one root. Anybody else joins as the 65th
 * member, which gives the group another root. Nothing has to remember who joined before, because the
 * chain remembers the roots: a new one supersedes the others, and a proof for a superseded root holds
 * until that root is older than a verifier allows.
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

/** The people who are verified at a level: always the same ones, in another order, so that each group has its own root. */
function residentsOf(level: VerificationLevel): readonly string[] {
  const first = VERIFICATION_LEVELS.indexOf(level)
  return [...RESIDENTS.slice(first), ...RESIDENTS.slice(0, first)]
}
