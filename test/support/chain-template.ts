import type { Hex } from 'viem'
import type { TestProject } from 'vitest/node'
import { startAnvil } from '../../local/chain/anvil.ts'
import { type Addresses, deployChain } from '../../local/chain/deploy.ts'
import { deployWorldId, type Verifiers } from '../../local/chain/deploy-world-id.ts'
import { connectLocalChain } from '../../local/chain/local-chain.ts'
import { freePort } from '../../local/process/free-port.ts'
import { verifierKeys } from '../../local/simulator/protocol-4/verifier-keys.ts'

/** The addresses of every contract that `npm start` deploys. */
export type ChainAddresses = Addresses & { verifiers: Verifiers }

declare module 'vitest' {
  export interface ProvidedContext {
    /** The state of a chain with every contract, and the addresses of the contracts. */
    chainTemplate: { state: Hex; addresses: ChainAddresses }
  }
}

/** Deploys the contracts once for the whole run. `startChain` loads the state of this chain, which takes milliseconds. */
export async function provideChainTemplate(project: TestProject): Promise<void> {
  const anvil = await startAnvil({ port: await freePort() })
  const verifiers = await deployWorldId(anvil.rpcUrl, await verifierKeys())
  const addresses = { ...(await deployChain(anvil.rpcUrl)), verifiers }
  const state = await (await connectLocalChain(anvil.rpcUrl)).dumpState()
  await anvil.stop()
  project.provide('chainTemplate', { state, addresses })
}
