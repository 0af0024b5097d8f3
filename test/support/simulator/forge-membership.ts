import { externalNullifier } from '../../../lib/proof/encoding.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../local/simulator/forge.ts'
import { personNullifierHash } from '../../../local/simulator/identity.ts'
import type { Member } from '../../../local/simulator/people.ts'
import type { Purpose } from '../../../local/simulator/prove.ts'
import type { VerificationRequest } from '../../../local/simulator/verification-request.ts'

/** Replaces `proveMembership` in tests that need any valid proof. Takes milliseconds instead of seconds. */
export async function forgeMembership(
  { identity, group }: Member,
  purpose: Purpose,
): Promise<VerificationRequest> {
  const external = externalNullifier(purpose.appId, purpose.action)
  const nullifierHash = personNullifierHash(identity, external)
  return (await sharedForger()).request({ ...purpose, root: group.root, nullifierHash })
}

let ready: Promise<Forger> | undefined

/** Returns the forger for the development key, created once for all files of a worker. */
export function sharedForger(): Promise<Forger> {
  ready ??= developmentKey().then(createForger)
  return ready
}
