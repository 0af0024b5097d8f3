import { publishRoot } from '../chain/publish-root.ts'
import { type Member, simulatedMember } from './people.ts'
import type { Purpose } from './prove.ts'
import type { VerificationRequest } from './verification-request.ts'

/** The chain and the prover that simulated people need. */
export type ProvingTools = {
  /** The local chain, on which the group's root is published. */
  rpcUrl: string
  /** Makes a proof of a member. */
  prove(member: Member, purpose: Purpose): Promise<VerificationRequest>
}

/**
 * Makes a proof of the simulated person of a seed. Publishes the root of the level's group in the staging contract,
 * so that the proof can be verified.
 *
 * @throws Error with a message for the user at the terminal if the chain cannot be reached
 */
export async function proveForPerson(
  seed: string,
  purpose: Purpose,
  { rpcUrl, prove }: ProvingTools,
): Promise<VerificationRequest> {
  const person = simulatedMember(seed, purpose.level)
  await publishRoot({ rpcUrl, group: 'staging', root: person.group.root })
  return prove(person, purpose)
}
