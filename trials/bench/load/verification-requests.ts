import { publishRoot } from '../../../local/chain/publish-root.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger } from '../../../local/simulator/forge.ts'
import type { Call } from './http-load.ts'

export const APP = 'app_staging_00000000000000000000000000000001'
export const ACTION = 'vote'
/** The Merkle root of all forged proofs. */
export const PEOPLE_ROOT = 4711n

/** Forges the requests of different people for an action of the demo data. The proofs are valid once their root is published. */
export async function forgeVerifications(count: number): Promise<Call[]> {
  const { request } = await createForger(await developmentKey())
  const calls: Call[] = []
  for (let person = 1n; person <= count; person++) {
    const proof = { appId: APP, action: ACTION, root: PEOPLE_ROOT, nullifierHash: person }
    calls.push({ path: `/api/v2/verify/${APP}`, body: JSON.stringify(await request(proof)) })
  }
  return calls
}

/** Publishes the root of all forged proofs on the platform's chain. */
export async function publishPeopleRoot({ rpcUrl }: { rpcUrl: string }): Promise<void> {
  await publishRoot({ rpcUrl, group: 'staging', root: PEOPLE_ROOT })
}
