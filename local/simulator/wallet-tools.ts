import type { ProvingTools4 } from './protocol-4/make-proof.ts'
import type { FindRelyingParty } from './protocol-4/relying-party.ts'
import type { ProvingTools } from './prove-for-person.ts'

/** What the wallet of simulated people uses: the chain, the provers, and the developer API. */
export type WalletTools = ProvingTools & {
  protocol4: Pick<ProvingTools4, 'verifier' | 'prove'> & { findRelyingParty: FindRelyingParty }
}
