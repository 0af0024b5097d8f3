import { REAL_PROOF, REAL_PROOF_V1 } from '../../../lib/proof/examples/real-requests.ts'
import { type Addresses, deployChain } from '../../../local/chain/deploy.ts'
import { deployWorldId, type Verifiers } from '../../../local/chain/deploy-world-id.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { verifierKeys } from '../../../local/simulator/protocol-4/verifier-keys.ts'

/**
 * Deploys the contracts on the local chain, and publishes the Merkle roots of the real proofs. Each start does this, so that
 * the roots have not expired.
 */
export async function deployContracts(
  rpcUrl: string,
): Promise<Addresses & { verifiers: Verifiers }> {
  const addresses = await deployChain(rpcUrl)
  const verifiers = await deployWorldId(rpcUrl, await verifierKeys())
  await publishRoot({ rpcUrl, group: 'production', root: BigInt(REAL_PROOF.body.merkle_root) })
  await publishRoot({ rpcUrl, group: 'staging', root: BigInt(REAL_PROOF_V1.merkle_root) })
  return { ...addresses, verifiers }
}
