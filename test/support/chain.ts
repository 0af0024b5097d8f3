import { inject } from 'vitest'
import { type Anvil, startAnvil } from '../../local/chain/anvil.ts'
import { connectLocalChain } from '../../local/chain/local-chain.ts'
import { freePort } from '../../local/process/free-port.ts'
import type { ChainAddresses } from './chain-template.ts'

export type TestChain = Anvil & { addresses: ChainAddresses }

/** Starts a local chain with the contracts and names that `npm start` deploys. */
export async function startChain(): Promise<TestChain> {
  const anvil = await startAnvil({ port: await freePort() })
  const { state, addresses } = inject('chainTemplate')
  await (await connectLocalChain(anvil.rpcUrl)).loadState({ state })
  return { ...anvil, addresses }
}
