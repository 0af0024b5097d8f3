import type { Adapter } from 'oidc-provider'

/** Storage for oidc-provider's sessions that keeps none: each sign-in requires a fresh proof. */
export const noSessions: Adapter = {
  upsert: doNothing,
  find: doNothing,
  consume: doNothing,
  destroy: doNothing,
  revokeByGrantId: doNothing,
  findByUid: doNothing,
  findByUserCode: doNothing,
}

async function doNothing() {}
