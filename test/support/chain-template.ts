import type { Hex } from 'viem'
import type { TestProject } from 'vitest/node'
import { startAnvil } from '../../local/chain/anvil.ts'
import { type Addresses, deployChain } from '../../local/chain/deploy.ts'
import { connectLocalChain } from '../../local/chain/local-chain.ts'
import { freePort } from '../../local/process/free-port.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The state of a chain with every contract, and the addresses of the contracts. */
    chainTemplate: { state: Hex; addresses: Addresses }
  }
}

/** Deploys the contracts once for the whole run. `startChain` loads the state of this chain, which takes milliseconds. */
export async function provideChainTemplate(project: TestProject): Promise<void> {
  const anvil = await startAnvil({ port: await freePort() })
  const addresses = await deployChain(anvil.rpcUrl)
  const state = await (await connectLocalChain(anvil.rpcUrl)).dumpState()
  await anvil.stop()
  project.provide('chainTemplate', { state, addresses })
}
