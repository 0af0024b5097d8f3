import { inject } from 'vitest'
import { protocol4Signals } from '../../../lib/proof/protocol-4/public-signals.ts'
import { developmentKey4 } from '../../../local/simulator/development-key/development-key.ts'
import { createProofForger } from '../../../local/simulator/forge.ts'
import type { ProveStatement } from '../../../local/simulator/protocol-4/prove-credential.ts'
import { createFindRelyingParty } from '../../../local/simulator/protocol-4/relying-party.ts'
import type { WalletTools } from '../../../local/simulator/wallet-tools.ts'
import { forgeMembership } from './forge-membership.ts'

/** Replaces the prover of protocol 4.0 in tests that need any valid proof. Takes milliseconds instead of seconds. */
const forgeStatement: ProveStatement = async ({ inputs }) => {
  forger ??= developmentKey4().then(createProofForger)
  return (await forger)(protocol4Signals(inputs))
}

let forger: ReturnType<typeof createProofForger> | undefined

/** The addresses that a wallet uses. They may change while it runs. */
export type WalletWorld = { rpcUrl: string; baseUrl?: string }

/** Creates what the wallet of simulated people uses, with forged proofs. */
export function walletTools(
  world: WalletWorld,
  prove: WalletTools['prove'] = forgeMembership,
): WalletTools {
  return {
    get rpcUrl() {
      return world.rpcUrl
    },
    prove,
    protocol4: {
      verifier: inject('chainTemplate').addresses.verifiers.staging,
      prove: forgeStatement,
      findRelyingParty: (rpId) => createFindRelyingParty(world.baseUrl ?? '')(rpId),
    },
  }
}
