import { developmentKey } from '../../../simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../simulator/forge.ts'

type Person = {
  app: string
  action: string
  /** A latest or superseded root of the staging group. */
  root: bigint
  nullifier: bigint
  signal?: string
}

let ready: Promise<Forger> | undefined

/** The body of a verification by a new person, under the development key. */
export async function forgeRequest({ app, nullifier, ...purpose }: Person) {
  ready ??= developmentKey().then(createForger)
  return (await ready).request({ appId: app, nullifierHash: nullifier, ...purpose })
}
