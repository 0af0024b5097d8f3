import type { Registry } from 'prom-client'
import { WrongChain } from '../../chain/guarded-chain.ts'
import { createWorldIdContracts, type WorldIdContracts } from '../../chain/world-id-contracts.ts'
import type { AcceptedKeys } from '../../proof/accepted-keys.ts'
import type { Protocol4Config, SharedConfig } from '../../runtime/config.ts'
import { ConfigError } from '../../runtime/config-error.ts'
import type { Log } from '../../runtime/log/log.ts'
import { createSteadyClock } from '../../runtime/steady-clock.ts'
import type { MeasuredPool } from '../threads/measured-pool.ts'
import { createChainFacts } from './chain-facts.ts'
import { type countCrossChecks, createCrossCheck } from './cross-check.ts'
import type { SubmittedProof4 } from './decode-proof.ts'
import {
  type Checks4,
  type Examination4,
  examineProof4,
  type Verdict4,
  verifyProof4,
} from './verify-proof-4.ts'

/** Verifies proofs of protocol 4.0. */
export type Protocol4 = {
  /** Checks a proof, and stops at the first failure. */
  verify4(submitted: SubmittedProof4): Promise<Verdict4>
  /** Runs all checks of a proof. */
  examine4(submitted: SubmittedProof4): Promise<Examination4>
}

/** The functions of a service without a server of World Chain. */
export const protocol4Off: Protocol4 = { verify4: refuseProtocol4, examine4: refuseProtocol4 }

function refuseProtocol4(): Promise<never> {
  return Promise.reject(new Error('Set WORLD_CHAIN_RPC_URL to verify proofs of protocol 4.0.'))
}

type Services = {
  keys: AcceptedKeys['names']
  pool: Pick<MeasuredPool, 'verify'>
  registry: Registry
  countCrossCheck: ReturnType<typeof countCrossChecks>
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Connects to World Chain. If the chain is down, the service starts anyway; proofs of protocol 4.0 get unavailable until
 * the chain answers.
 *
 * @throws ConfigError if WORLD_CHAIN_RPC_URL is a server of another chain than WORLD_CHAIN_ID
 */
export async function openProtocol4(
  rpcUrl: string,
  config: Protocol4Config & Pick<SharedConfig, 'CHAIN_TIMEOUT_MS'>,
  services: Services,
): Promise<Protocol4> {
  const { keys, pool, registry, countCrossCheck, log, now } = services
  const contracts = createWorldIdContracts({
    rpcUrl,
    chainId: config.WORLD_CHAIN_ID,
    timeoutMs: config.CHAIN_TIMEOUT_MS,
  })
  const verifiers = {
    production: config.WORLD_ID_VERIFIER_PRODUCTION,
    staging: config.WORLD_ID_VERIFIER_STAGING,
  }
  await confirmContracts(contracts, Object.values(verifiers), log)
  const checks: Checks4 = {
    facts: createChainFacts({ contracts, registry, now: createSteadyClock(() => now() / 1_000) }),
    pool,
    keys: { production: keys.production4, staging: keys.staging4 },
    verifiers,
    now: () => Math.floor(now() / 1_000),
  }
  const crossCheck = createCrossCheck({
    contracts,
    oneIn: config.WORLD_ID_CROSS_CHECK_ONE_IN,
    count: countCrossCheck,
    log,
    random: Math.random,
  })
  return {
    verify4: (submitted) => verifyProof4(checks, crossCheck, submitted),
    examine4: (submitted) => examineProof4(checks, submitted),
  }
}

/** Reads the settings of the verifier contracts once, so that a wrong address is in the log at the start. */
async function confirmContracts(
  contracts: WorldIdContracts,
  verifiers: readonly string[],
  log: Log,
): Promise<void> {
  const readings = verifiers.map((verifier) =>
    contracts.readSettings(verifier).catch((fault: unknown) => {
      if (!(fault instanceof WrongChain))
        return log.warn({ err: fault, verifier }, 'the verifier contract does not answer')
      const { actual, expected } = fault
      throw new ConfigError(
        `WORLD_CHAIN_RPC_URL belongs to chain ${actual}, but WORLD_CHAIN_ID is ${expected}: use a server of chain ${expected}, or set WORLD_CHAIN_ID to the chain of your verifier contracts.`,
      )
    }),
  )
  await Promise.all(readings)
}
