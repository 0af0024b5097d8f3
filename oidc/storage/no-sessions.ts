import type { Adapter } from 'oidc-provider'

/** A storage that keeps none of oidc-provider's sessions, because each sign-in requires a fresh proof. */
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
