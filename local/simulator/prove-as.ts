import { publishRoot } from '../chain/publish-root.ts'
import { type Member, simulatedMember } from './people.ts'
import type { Purpose } from './prove.ts'
import type { VerificationRequest } from './verification-request.ts'

/** What simulated people need to prove something. */
export type World = {
  /** The local chain, on which their group is published. */
  rpcUrl: string
  /** Makes a proof of theirs. */
  prove(member: Member, purpose: Purpose): Promise<VerificationRequest>
}

/**
 * Proves something as the simulated person of a seed, and publishes the root of their level's group in the staging
 * contract, so that the proof can be verified.
 *
 * @throws Error with a sentence for the person at the terminal, if the chain cannot be reached
 */
export async function proveAs(
  seed: string,
  purpose: Purpose,
  { rpcUrl, prove }: World,
): Promise<VerificationRequest> {
  const person = simulatedMember(seed, purpose.level)
  await publishRoot({ rpcUrl, group: 'staging', root: person.group.root })
  return prove(person, purpose)
}
