import { readFile } from 'node:fs/promises'
import productionKey from '../../../lib/proof/keys/world-id-4.json' with { type: 'json' }
import type { VerifierKeys } from '../../chain/deploy-world-id.ts'
import { developmentKey4 } from '../development-key/development-key.ts'

/**
 * Returns the keys of the local chain's verifier contracts: the key of the public contract for production, and the
 * development key for simulated people.
 */
export async function verifierKeys(): Promise<VerifierKeys> {
  const { verificationKeyFile } = await developmentKey4()
  return {
    production: productionKey,
    staging: JSON.parse(await readFile(verificationKeyFile, 'utf8')),
  }
}
