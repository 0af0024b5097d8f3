import { readFileSync } from 'node:fs'
import type { GraphQLClient } from 'graphql-request'
import { groupContract } from '../lib/chain/group-contract.ts'
import type { SharedConfig } from '../lib/config.ts'
import { ApiError } from '../lib/errors.ts'
import { observedCalling } from '../lib/hasura/graphql.ts'
import { type Metrics, observeGraphql } from '../lib/telemetry/metrics.ts'
import { acceptedKeys } from '../proof/accepted-keys.ts'
import { type Groth16Pool, startGroth16Pool } from '../proof/groth16-pool.ts'
import { createRootLookup } from '../proof/root-lookup.ts'
import { createVerifier, type Verifier } from '../proof/verify.ts'
import { createGatherer, type Gather } from './gather-calls.ts'
import { getSdk } from './generated/sdk.ts'
import { createGroupAddresses, type GroupAddresses } from './group-addresses.ts'
import { verificationMetrics } from './metrics.ts'
import { type Person, type Recorded, recordNullifiers } from './record-nullifiers.ts'

export type Verification = Verifier & {
  /**
   * Counts one verification, in one statement of the database, so any number of instances may race.
   *
   * @returns null when the person has done the action as often as is allowed
   * @throws unavailable
   */
  record(person: Person): Promise<Recorded | null>
  /** Turns calls to Hasura that come close together into one, while proofs wait for a thread. */
  gather: Gather
  /** Finds the groups' contracts. */
  addresses: GroupAddresses
  /** Whether the chain answers; rejects when it does not. */
  probeChain(): Promise<unknown>
  /** Ends the threads. */
  close(): Promise<void>
}

/** Milliseconds; less than a proof keeps a thread busy. */
const PROOF_DURATION_MS = 2.5

type Services = {
  hasura: GraphQLClient
  metrics: Metrics
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Puts together what every service needs to verify a person: keys from the configuration, threads,
 * roots from the chain, and the mutation that counts.
 *
 * @returns once every thread has verified a proof, so that the first caller does not wait for it
 */
export async function startVerification(
  config: SharedConfig,
  { hasura, metrics, now }: Services,
): Promise<Verification> {
  const graphql = getSdk(hasura, observedCalling(observeGraphql(metrics)))
  const measured = verificationMetrics(metrics.registry)
  const chain = openGroupContract(config)
  const addresses = createGroupAddresses({
    graphql,
    names: { production: config.GROUP_NAME_PRODUCTION, staging: config.GROUP_NAME_STAGING },
    resolve: chain.resolve,
    now,
  })
  const keys = readAcceptedKeys(config)
  const pool = startGroth16Pool(keys.byName, {
    threads: config.VERIFIER_THREADS,
    maxQueue: config.VERIFIER_MAX_QUEUE,
  })
  await pool.warmUp()
  measured.measurePool(pool)
  const seconds = () => Math.floor(now() / 1_000)
  const { verify } = createVerifier({
    groth16: timedPool(pool, measured),
    roots: createRootLookup({
      query: (group, root) =>
        addresses
          .find(group)
          .then((address) => chain.queryRoot(address, root))
          .catch(throwUnavailable),
      now: seconds,
      maxEntries: 10_000,
      onLookup: (answer) => measured.rootLookups.inc({ answer }),
    }),
    keys: keys.names,
    maxAgeSeconds: config.ROOT_MAX_AGE_SECONDS,
    now: seconds,
  })
  const gather = createGatherer(
    () => PROOF_DURATION_MS * (pool.queueLength / config.VERIFIER_THREADS),
  )
  return {
    verify,
    record: gather(recordNullifiers(graphql)),
    gather,
    addresses,
    probeChain: async () => chain.queryRoot(await addresses.find('production'), 0n),
    close: () => pool.close(),
  }
}

function openGroupContract(config: SharedConfig) {
  return groupContract({
    rpcUrl: config.CHAIN_RPC_URL,
    timeoutMs: config.CHAIN_TIMEOUT_MS,
    universalResolver: config.UNIVERSAL_RESOLVER_ADDRESS,
  })
}

/** The pool, with the time of each check in the metrics. */
function timedPool(
  pool: Groth16Pool,
  { proofSeconds }: ReturnType<typeof verificationMetrics>,
): Pick<Groth16Pool, 'verify'> {
  return {
    verify(...claim) {
      const stop = proofSeconds.startTimer()
      return pool
        .verify(...claim)
        .catch(throwUnavailable)
        .finally(stop)
    },
  }
}

function readAcceptedKeys(config: SharedConfig) {
  return acceptedKeys({
    production: config.VERIFICATION_KEYS_PRODUCTION,
    staging: config.VERIFICATION_KEYS_STAGING,
    legacy: config.VERIFICATION_KEYS_LEGACY,
    developmentKey: config.DEVELOPMENT_KEY_FILE
      ? readFileSync(config.DEVELOPMENT_KEY_FILE, 'utf8')
      : null,
    isProduction: config.NODE_ENV === 'production',
  })
}

/** To a caller, a chain that does not answer and a full queue are the same: try again later. */
function throwUnavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
