import { inject } from 'vitest'
import { type Anvil, startAnvil } from '../../chain/anvil.ts'
import type { Addresses } from '../../chain/deploy.ts'
import { connectLocalChain } from '../../chain/local-chain.ts'
import { freePort } from '../../lib/process/free-port.ts'

export type TestChain = Anvil & { addresses: Addresses }

/** A local chain of a test's own, with the contracts and names that `npm start` puts on it. */
export async function startChain(): Promise<TestChain> {
  const anvil = await startAnvil({ port: await freePort() })
  const { state, addresses } = inject('chainTemplate')
  await (await connectLocalChain(anvil.rpcUrl)).loadState({ state })
  return { ...anvil, addresses }
}
