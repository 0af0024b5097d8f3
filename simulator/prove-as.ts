import { publishRoot } from '../chain/publish-root.ts'
import type { DevelopmentKey } from './development-key/development-key.ts'
import { simulatedMember } from './people.ts'
import { type Purpose, proveMembership } from './prove.ts'
import type { VerificationRequest } from './verification-request.ts'

/** What simulated people need to prove something. */
export type World = {
  /** The local chain, on which their group is published. */
  rpcUrl: string
  key: Pick<DevelopmentKey, 'zkeyFile' | 'wasmFile'>
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
  { rpcUrl, key }: World,
): Promise<VerificationRequest> {
  const person = simulatedMember(seed, purpose.level)
  await publishRoot({ rpcUrl, group: 'staging', root: person.group.root })
  return proveMembership(person, purpose, key)
}
