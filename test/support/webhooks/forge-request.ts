import { sharedForger } from '../simulator/forge-membership.ts'

type Person = {
  app: string
  action: string
  /** The root that the proof names; only a published root of the app's group is accepted. */
  root: bigint
  nullifier: bigint
  signal?: string
}

/** Forges the body of a verification by this person, with a proof of the development key. */
export async function forgeRequest({ app, nullifier, ...purpose }: Person) {
  return (await sharedForger()).request({ appId: app, nullifierHash: nullifier, ...purpose })
}
