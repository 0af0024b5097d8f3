import { protocol4Proof } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import { scopeOfAction } from '../../../lib/proof/scope.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { createMetrics } from '../../../lib/runtime/telemetry/metrics.ts'
import { verifyProof } from '../../../lib/verification/check/verify-proof.ts'
import { createChainFacts } from '../../../lib/verification/protocol-4/chain-facts.ts'
import { verifyProof4 } from '../../../lib/verification/protocol-4/verify-proof-4.ts'
import { createRootLookup } from '../../../lib/verification/roots/root-lookup.ts'
import type { VerificationTask } from '../../../lib/verification/threads/checked-verifier.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { type Figure, percentile } from '../report/figure.ts'

const ROUNDS = 15
const PROOFS_PER_ROUND = 100

type Pool = ReturnType<typeof startGroth16Pool>

/**
 * Compares the CPU time of a proof of protocol 4.0 with that of a proof of 3.0, and of the pairing alone. Each is verified by
 * the code of the developer API, with one thread and with the chain's facts in memory, in turns.
 */
export async function measureProtocol4(): Promise<Figure[]> {
  const pool = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: PROOFS_PER_ROUND })
  await pool.warmUp()
  const work = {
    protocol4: prepareProtocol4(pool),
    protocol3: prepareProtocol3(pool),
    pairing: () => pool.verify(['world-id-4'], example.compressed, example.signals),
  }
  const samples = { protocol4: [0], protocol3: [0], pairing: [0] }
  const names = ['protocol4', 'protocol3', 'pairing'] as const
  for (let round = -3; round < ROUNDS; round++)
    for (const name of names) {
      const ms = await measureCpuOfProof(work[name])
      if (round >= 0) samples[name].push(ms)
    }
  await pool.close()
  const median = (name: (typeof names)[number]) => percentile(samples[name].slice(1), 0.5)
  return [
    {
      name: 'CPU of a proof of protocol 4.0 ÷ a proof of 3.0',
      value: median('protocol4'),
      unit: 'ms',
      baseline: median('protocol3'),
      target: { atMost: 1.6 },
    },
    {
      name: 'CPU of a proof of protocol 4.0 ÷ its pairing alone',
      value: median('protocol4'),
      unit: 'ms',
      baseline: median('pairing'),
      target: { atMost: 1.25 },
    },
  ]
}

const example = protocol4Proof('uniqueness')

/** Returns a function that verifies a public proof of protocol 4.0 with all checks. */
function prepareProtocol4(pool: Pool): () => Promise<boolean> {
  const [nullifier, issuer, ix, iy, expires, genesis, , treeDepth, rpId, action, ox, oy] =
    example.signals.map((signal) => signal)
  const [signalHash, nonce] = example.signals.slice(12)
  const text = (n: bigint | undefined) => `0x${requireValue(n, 'a signal').toString(16)}`
  const number = (n: bigint | undefined) => requireValue(n, 'a signal')
  const now = () => Number(expires)
  const address = '0x0000000000000000000000000000000000000001'
  const contracts = {
    readSettings: async () => ({
      worldIdRegistry: address,
      issuerRegistry: address,
      oprfKeyRegistry: address,
      treeDepth: number(treeDepth),
      minExpirationThreshold: 3_600n,
    }),
    isValidRoot: async () => true,
    issuerKey: async () => ({ x: number(ix), y: number(iy) }),
    oprfKey: async () => ({ x: number(ox), y: number(oy) }),
  }
  const checks = {
    facts: createChainFacts({ contracts, registry: createMetrics().registry, now }),
    pool: threadsOf(pool),
    keys: { production: ['world-id-4'], staging: [] },
    verifiers: { production: address, staging: address },
    now,
  }
  const submitted = {
    isStaging: false,
    ...{ rpId: number(rpId), action: number(action), nullifier: text(nullifier) },
    ...{ nonce: text(nonce), signalHash: text(signalHash), issuerSchemaId: number(issuer) },
    ...{ expiresAtMin: number(expires), credentialGenesisIssuedAtMin: number(genesis) },
    ...{ sessionId: 0n, proof: example.words, callers: ['app'] },
  }
  return async () => (await verifyProof4(checks, () => {}, submitted)).valid
}

/** Returns a function that verifies a proof of a real person of protocol 3.0 with all checks. */
function prepareProtocol3(pool: Pool): () => Promise<boolean> {
  const { proof, app_id = '', action = '', ...fields } = realProof('hola-mundo')
  const now = () => 0
  const contract = { queryRoot: async () => ({ isKnown: true, supersededAt: null }) as const }
  const group = { name: 'group', levels: new Set(['orb'] as const) }
  const checks = {
    pool: threadsOf(pool),
    roots: createRootLookup({
      addresses: { find: async () => 'address' },
      contract,
      registry: createMetrics().registry,
      now,
    }),
    groups: { production: [group], staging: [group] } as const,
    keys: { production: ['semaphore-v3-depth-30'], staging: [], legacy: [] },
    maxAgeSeconds: 3_600,
    now,
  }
  const submitted = {
    proof,
    nullifierHash: fields.nullifier_hash,
    merkleRoot: fields.merkle_root,
    signalHash: fields.signal_hash,
    scope: scopeOfAction({ id: 'action', app_id, action }),
    isStaging: false,
    callers: ['app'],
  }
  return async () => (await verifyProof(checks, submitted)).valid
}

function threadsOf(pool: Pool) {
  return {
    verify: ({ keyNames, proof, signals }: VerificationTask) =>
      pool.verify(keyNames, proof, signals),
  }
}

/** Measures the milliseconds of CPU for one of many proofs that are verified at the same time. */
async function measureCpuOfProof(verify: () => Promise<boolean>): Promise<number> {
  const startUsage = process.cpuUsage()
  const verdicts = await Promise.all(Array.from({ length: PROOFS_PER_ROUND }, verify))
  const { user, system } = process.cpuUsage(startUsage)
  if (verdicts.includes(false)) throw new Error('A verifier rejected a public proof.')
  return (user + system) / 1_000 / PROOFS_PER_ROUND
}
