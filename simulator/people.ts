import { TREE_DEPTH } from './development-key.ts'
import { type Group, group } from './group.ts'
import { commitment, type Identity, identity } from './identity.ts'

const RESIDENTS = Array.from({ length: 64 }, (_, index) => `person-${index}`)

/** A person in their place in a group. */
export type Member = { identity: Identity; group: Group; index: number }

/**
 * Finds the simulated person of a seed, with a group that they are in.
 *
 * `person-0` to `person-63` are always in, so they share one root. Anybody else joins as the 65th: with
 * each such person the group has another root. Nothing has to remember who joined before, because the
 * chain remembers the roots: publishing one more supersedes the others, and a proof made for one of
 * those stays good until its root is older than a verifier allows.
 */
export function member(seed: string): Member {
  const seeds = RESIDENTS.includes(seed) ? RESIDENTS : [...RESIDENTS, seed]
  const commitments = seeds.map((each) => commitment(identity(each)))
  return {
    identity: identity(seed),
    group: group(commitments, TREE_DEPTH),
    index: seeds.indexOf(seed),
  }
}
