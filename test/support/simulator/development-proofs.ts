import { readFile } from 'node:fs/promises'
import { externalNullifier, parseProof } from '../../../lib/proof/encoding.ts'
import { parseVerificationKey } from '../../../lib/proof/keys.ts'
import {
  type Groth16Pool,
  startGroth16Pool,
} from '../../../lib/verification/threads/groth16-pool.ts'
import type { DevelopmentKey } from '../../../local/simulator/development-key/key-files.ts'
import type { Purpose } from '../../../local/simulator/prove.ts'
import type { VerificationRequest } from '../../../local/simulator/verification-request.ts'

/** Creates a pool with a single key: the development key, under the name `development`. */
export async function developmentPool({
  verificationKeyFile,
}: DevelopmentKey): Promise<Groth16Pool> {
  const key = parseVerificationKey(JSON.parse(await readFile(verificationKeyFile, 'utf8')))
  return startGroth16Pool(new Map([['development', key]]), { threads: 2, maxQueue: 10_000 })
}

/** Reports whether a request's proof is valid for this app and action. */
export async function holds(
  pool: Groth16Pool,
  request: VerificationRequest,
  { appId, action }: Purpose,
): Promise<boolean> {
  const proof = parseProof(request.proof)
  if (!proof) return false
  return pool.verify(['development'], proof, [
    BigInt(request.merkle_root),
    BigInt(request.nullifier_hash),
    BigInt(request.signal_hash),
    externalNullifier(appId, action),
  ])
}
