import { externalNullifier } from '../../../lib/proof/encoding.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { personNullifierHash } from '../../../local/simulator/identity.ts'
import type { Member } from '../../../local/simulator/people.ts'
import type { Purpose } from '../../../local/simulator/prove.ts'
import type { VerificationRequest } from '../../../local/simulator/verification-request.ts'

/** In the place of `proveMembership`, where a test is not about the making of proofs: it takes milliseconds, not seconds. */
export async function forgeMembership(
  { identity, group }: Member,
  purpose: Purpose,
): Promise<VerificationRequest> {
  const external = externalNullifier(purpose.appId, purpose.action)
  const nullifierHash = personNullifierHash(identity, external)
  return (await sharedForger()).request({ ...purpose, root: group.root, nullifierHash })
}

let ready: Promise<Forger> | undefined

/** Makes proofs under the development key; prepared once for all files that a worker runs. */
export function sharedForger(): Promise<Forger> {
  ready ??= developmentKey().then(createForger)
  return ready
}
