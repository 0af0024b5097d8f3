import { sharedForger } from '../simulator/forge-membership.ts'

type Person = {
  app: string
  action: string
  /** A latest or superseded root of the staging group. */
  root: bigint
  nullifier: bigint
  signal?: string
}

/** The body of a verification by a new person, under the development key. */
export async function forgeRequest({ app, nullifier, ...purpose }: Person) {
  return (await sharedForger()).request({ appId: app, nullifierHash: nullifier, ...purpose })
}
