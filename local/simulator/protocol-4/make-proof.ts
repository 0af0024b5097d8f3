import type { Hex } from 'viem'
import { formatField } from '../../../lib/proof/encoding.ts'
import type { Protocol4Inputs } from '../../../lib/proof/protocol-4/public-signals.ts'
import { publishWorldId } from '../../chain/publish-world-id.ts'
import { compressProof } from './compress-proof.ts'
import type { TreeMember } from './credential-tree.ts'
import type { Credential } from './holder.ts'
import { credentialStatement, type ProveStatement, type Purpose4 } from './prove-credential.ts'

/** The chain and the prover that simulated people of protocol 4.0 need. */
export type ProvingTools4 = {
  rpcUrl: string
  /** The verifier contract for staging apps, in which the facts behind a proof are published. */
  verifier: Hex
  prove: ProveStatement
}

/** A proof of protocol 4.0: its public inputs, and the five words in hex. */
export type Proof4 = { inputs: Protocol4Inputs; words: string[] }

/**
 * Makes a proof of a person with a credential. Publishes the root of the tree, the issuer and the key of the relying party,
 * so that the proof can be verified.
 *
 * @throws Error with a message for the user at the terminal if the chain cannot be reached
 */
export async function makeProof4(
  {
    member,
    credential,
    purpose,
  }: { member: TreeMember; credential: Credential; purpose: Purpose4 },
  { prove, ...target }: ProvingTools4,
): Promise<Proof4> {
  const statement = credentialStatement(member, credential, purpose)
  const { inputs } = statement
  await publishWorldId(target, {
    root: inputs.merkleRoot,
    issuer: { id: inputs.issuerSchemaId, key: inputs.issuerKey },
    relyingParty: { id: inputs.rpId, oprfKey: inputs.oprfKey },
  })
  const words = [...compressProof(await prove(statement)), inputs.merkleRoot]
  return { inputs, words: words.map(formatField) }
}
