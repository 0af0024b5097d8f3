import { readFileSync } from 'node:fs'
import type { GraphQLClient } from 'graphql-request'
import { type GroupContract, groupContract, WrongChain } from '../chain/group-contract.ts'
import { acceptedKeys } from '../proof/accepted-keys.ts'
import { ConfigError, type SharedConfig } from '../runtime/config.ts'
import { ApiError } from '../runtime/errors.ts'
import { observedHasuraCalls } from '../runtime/hasura/hasura-client.ts'
import { fairQueue } from '../runtime/limits/fair-queue.ts'
import type { Log } from '../runtime/log/log.ts'
import { steadyClock } from '../runtime/steady-clock.ts'
import { type Metrics, recordHasuraCalls } from '../runtime/telemetry/metrics.ts'
import { createVerifier, type Verifier } from './check/verify-proof.ts'
import { getSdk, type Sdk } from './generated/sdk.ts'
import { verificationMetrics } from './metrics.ts'
import { createGatherer, type Gather } from './record/gather-calls.ts'
import { recordInTurn, waitingRecordsQueue } from './record/record-in-turn.ts'
import { type Person, type Recorded, recordNullifiers } from './record/record-nullifiers.ts'
import { type CountedRequest, type PersonOnce, recordRequests } from './record/record-requests.ts'
import { createGroupAddresses, type GroupAddresses } from './roots/group-addresses.ts'
import { provingGroups } from './roots/proving-groups.ts'
import { createRootLookup } from './roots/root-lookup.ts'
import { startMeasuredPool } from './threads/measured-pool.ts'
import { recordEngineEvents } from './threads/pairing-events.ts'

export type Verification = Verifier & {
  /**
   * Counts one verification, in one statement of the database, so that any number of instances may do so at once.
   *
   * @returns null when the person has already done the action as often as is allowed
   * @throws unavailable
   */
  record(person: Person): Promise<Recorded | null>
  /**
   * The same for a request with an idempotency key: it is counted unless a request with this key was in the last day.
   *
   * @returns the request that was counted, which may be another one with the same key; null as above
   * @throws unavailable
   */
  recordOnce(person: PersonOnce): Promise<CountedRequest | null>
  /** Combines calls to Hasura while proofs wait for a thread. */
  gather: Gather
  addresses: GroupAddresses
  /** Whether the chain answers; rejects when it does not. */
  probeChain(): Promise<unknown>
  /** Ends the threads. */
  close(): Promise<void>
}

/** A little less than a proof keeps a thread busy. */
const PROOF_DURATION_MS = 0.5

type Services = {
  hasura: GraphQLClient
  metrics: Metrics
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Starts what every service needs to verify a person: keys from the configuration, threads, roots from the chain, and
 * the mutation that counts.
 *
 * @throws ConfigError when CHAIN_RPC_URL is a server of another chain than CHAIN_ID
 * @returns once every thread has verified proofs, so that the first caller does not wait for the warm-up
 */
export async function startVerification(
  config: SharedConfig,
  { hasura, metrics, log, now }: Services,
): Promise<Verification> {
  const graphql = getSdk(hasura, observedHasuraCalls(recordHasuraCalls(metrics)))
  const measured = verificationMetrics(metrics.registry)
  const chain = openGroupContract(config)
  await confirmChain(chain, log)
  const groups = provingGroups(config)
  const addresses = createGroupAddresses({
    graphql,
    names: [...new Set([...groups.production, ...groups.staging].map(({ name }) => name))],
    resolve: chain.resolve,
    now,
  })
  const keys = readAcceptedKeys(config)
  const onEngineEvent = recordEngineEvents(metrics.registry, log)
  const pool = await startMeasuredPool(keys.byName, config, { ...measured, onEngineEvent })
  const nowSeconds = () => Math.floor(now() / 1_000)
  const chainTurns = fairQueue(CHAIN_QUERIES)
  const verifier = createVerifier({
    groth16: pool,
    roots: createRootLookup({
      query: (group, root) =>
        addresses
          .find(group)
          .then((address) => chain.queryRoot(address, root))
          .catch(throwUnavailable),
      enter: (callers) => chainTurns.enter(callers).catch(throwUnavailable),
      now: steadyClock(nowSeconds),
      maxEntries: 10_000,
      onLookup: (answer) => measured.rootLookups.inc({ answer }),
    }),
    groups,
    keys: keys.names,
    maxAgeSeconds: config.ROOT_MAX_AGE_SECONDS,
    now: nowSeconds,
  })
  const gather = createGatherer(() => PROOF_DURATION_MS * (pool.queueLength() / pool.threads))
  return {
    ...verifier,
    ...recorders(graphql, gather),
    gather,
    addresses,
    probeChain: async () => chain.queryRoot(await addresses.find(groups.production[0].name), 0n),
    close: pool.close,
  }
}

/** The two ways to count a person; those who wait for a lock share a few places. */
function recorders(
  graphql: Pick<Sdk, 'RecordNullifiers' | 'RecordRequests'>,
  gather: Gather,
): Pick<Verification, 'record' | 'recordOnce'> {
  const shared = { gather, queue: waitingRecordsQueue() }
  return {
    record: recordInTurn(
      { together: recordNullifiers(graphql, false), waiting: recordNullifiers(graphql, true) },
      shared,
    ),
    recordOnce: recordInTurn(
      { together: recordRequests(graphql, false), waiting: recordRequests(graphql, true) },
      shared,
    ),
  }
}

/**
 * Confirms that the chain is the expected one, if it answers. One that is down stops no start: until it is confirmed, nothing
 * that depends on it is answered.
 *
 * @throws ConfigError when it is another chain
 */
async function confirmChain(chain: GroupContract, log: Log): Promise<void> {
  await chain.confirmChain().catch((fault: unknown) => {
    if (!(fault instanceof WrongChain)) return log.warn({ err: fault }, 'the chain does not answer')
    const { found, expected } = fault
    throw new ConfigError(
      `CHAIN_RPC_URL answers chain ${found}, expected ${expected}: give the address of a server of chain ${expected}, or set CHAIN_ID to the chain of your groups.`,
    )
  })
}

/** Roots that are looked up on the chain at a time: whoever sends many that nobody knows waits the longest. */
const CHAIN_QUERIES = {
  places: 32,
  placesPerCaller: 12,
  placesForHeavy: 16,
  maxWaiting: 2_000,
  maxWaitingPerCaller: 300,
  maxWaitMs: 5_000,
}

function openGroupContract(config: SharedConfig) {
  return groupContract({
    rpcUrl: config.CHAIN_RPC_URL,
    chainId: config.CHAIN_ID,
    timeoutMs: config.CHAIN_TIMEOUT_MS,
    universalResolver: config.UNIVERSAL_RESOLVER_ADDRESS,
  })
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

/** A chain that does not answer and a full queue are the same for a client: it may try again later. */
function throwUnavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
