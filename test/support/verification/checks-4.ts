import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createWorldIdContracts } from '../../../lib/chain/world-id-contracts.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import { createChainFacts } from '../../../lib/verification/protocol-4/chain-facts.ts'
import type { CheckedVerdict } from '../../../lib/verification/protocol-4/cross-check.ts'
import type { SubmittedProof4 } from '../../../lib/verification/protocol-4/decode-proof.ts'
import {
  type Checks4,
  examineProof4,
  verifyProof4,
} from '../../../lib/verification/protocol-4/verify-proof-4.ts'
import {
  type Groth16Pool,
  startGroth16Pool,
} from '../../../lib/verification/threads/groth16-pool.ts'
import { factsOfPublicProofs, PUBLIC_PROOF_TIME } from './protocol-4.ts'
import { startWorldChain, VERIFIER } from './world-chain.ts'

/**
 * Starts a thread for the tests of a file. Returns a function that starts a chain on which the public proofs are valid,
 * with the checks that read it.
 */
export function useChecks4() {
  let pool: Groth16Pool

  beforeAll(async () => {
    pool = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 100 })
    await pool.warmUp()
  })
  afterAll(() => pool.close())

  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  return async function scene() {
    const { state, rpcUrl, stop } = await startWorldChain(factsOfPublicProofs())
    stops.push(stop)
    const clock = { now: PUBLIC_PROOF_TIME }
    const checks: Checks4 = {
      facts: createChainFacts({
        contracts: createWorldIdContracts({ rpcUrl, chainId: 480, timeoutMs: 2_000 }),
        registry: new Registry(),
        now: () => clock.now,
      }),
      pool: { verify: ({ keyNames, proof, signals }) => pool.verify(keyNames, proof, signals) },
      keys: { production: ['world-id-4'], staging: ['world-id-4'] },
      verifiers: { production: VERIFIER, staging: VERIFIER },
      now: () => clock.now,
    }
    const crossChecks: CheckedVerdict[] = []
    const verify = (submitted: SubmittedProof4) =>
      verifyProof4(checks, (verdict) => void crossChecks.push(verdict), submitted)
    const examine = (submitted: SubmittedProof4) => examineProof4(checks, submitted)
    return { state, stop, clock, verify, examine, crossChecks }
  }
}
