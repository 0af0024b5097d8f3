import { CREDENTIAL_NAMES, type CredentialName } from '../../../lib/proof/protocol-4/credentials.ts'
import { TREE_DEPTH } from '../development-key/key-files.ts'
import { type Group, personGroup } from '../group.ts'
import { credentialLeaf, type Holder, simulatedHolder } from './holder.ts'

const RESIDENTS = Array.from({ length: 64 }, (_, index) => `person-${index}`)

/** A person with the tree that contains the person's credentials. */
export type TreeMember = { holder: Holder; tree: Group; indexOf(name: CredentialName): number }

/**
 * Returns the simulated person of a seed, in the tree of credentials.
 *
 * As in the groups of protocol 3.0, `person-0` to `person-63` are always in the tree. Any other person joins as the 65th.
 */
export function simulatedTreeMember(seed: string): TreeMember {
  const isResident = RESIDENTS.includes(seed)
  const position = isResident ? RESIDENTS.indexOf(seed) : RESIDENTS.length
  const holder = simulatedHolder(seed)
  const leaves = isResident ? residentLeaves() : [...residentLeaves(), ...leavesOf(holder)]
  return {
    holder,
    tree: personGroup(leaves, TREE_DEPTH),
    indexOf: (name) => position * CREDENTIAL_NAMES.length + CREDENTIAL_NAMES.indexOf(name),
  }
}

let residents: readonly bigint[] | undefined

/** Returns the leaves of the people who are always in the tree. Computes them once. */
function residentLeaves(): readonly bigint[] {
  residents ??= RESIDENTS.flatMap((seed) => leavesOf(simulatedHolder(seed)))
  return residents
}

/** Returns a leaf for each kind of credential: 0 if the person does not have the credential. */
function leavesOf({ secret, credentials }: Holder): bigint[] {
  return CREDENTIAL_NAMES.map((name) => {
    const credential = credentials.find((each) => each.name === name)
    return credential ? credentialLeaf(secret, credential) : 0n
  })
}
