import { readFileSync } from 'node:fs'
import type { GraphQLClient } from 'graphql-request'
import { createGroupContract, type GroupContract } from '../chain/group-contract.ts'
import { WrongChain } from '../chain/guarded-chain.ts'
import { selectAcceptedKeys } from '../proof/accepted-keys.ts'
import type { Protocol4Config, SharedConfig } from '../runtime/config.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { observeHasuraCalls } from '../runtime/hasura/hasura-client.ts'
import type { Log } from '../runtime/log/log.ts'
import { createSteadyClock } from '../runtime/steady-clock.ts'
import { type Metrics, recordHasuraCalls } from '../runtime/telemetry/metrics.ts'
import {
  type CheckServices,
  type Examination,
  examineProof,
  type SubmittedProof,
  type Verdict,
  verifyProof,
} from './check/verify-proof.ts'
import { getSdk } from './generated/sdk.ts'
import { countCrossChecks } from './protocol-4/cross-check.ts'
import { openProtocol4, type Protocol4, protocol4Off } from './protocol-4/protocol-4.ts'
import { createGatherer, type Gather } from './record/gather-calls.ts'
import { createRecorder, type Recorder } from './record/record-person.ts'
import { createGroupAddresses, type GroupAddresses } from './roots/group-addresses.ts'
import { readProvingGroups } from './roots/proving-groups.ts'
import { createRootLookup } from './roots/root-lookup.ts'
import { startMeasuredPool } from './threads/measured-pool.ts'

/** Verifies a person: checks a proof, then records the person. */
export type Verification = Recorder &
  Protocol4 & {
    /** False if WORLD_CHAIN_RPC_URL is not set. Then do not call `verify4` and `examine4`. */
    hasProtocol4: boolean
    /** Checks a proof, and stops at the first failure. */
    verify(submitted: SubmittedProof): Promise<Verdict>
    /** Runs all checks of a proof. */
    examine(submitted: SubmittedProof): Promise<Examination>
    /** Combines calls to Hasura while another call is under way, or while proofs wait for a thread. */
    gather: Gather
    addresses: GroupAddresses
    /** Resolves if the chain answers, else rejects. */
    probeChain(): Promise<unknown>
    /** Ends the threads. */
    close(): Promise<void>
  }

/** A little less than the time that a thread needs to verify a proof. */
const PROOF_DURATION_MS = 0.5

type Services = {
  hasura: GraphQLClient
  metrics: Metrics
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The settings of a service; the sign-in server has none of protocol 4.0. */
type ServiceConfig = SharedConfig & (Protocol4Config | { WORLD_CHAIN_RPC_URL?: undefined })

/**
 * Starts the verification of a service: reads the keys, starts the threads, and connects to the chain and to Hasura.
 * Returns after the warm-up of the threads, so that the first caller does not wait for it.
 *
 * @throws ConfigError if CHAIN_RPC_URL is a server of another chain than CHAIN_ID, or WORLD_CHAIN_RPC_URL of another chain
 *   than WORLD_CHAIN_ID
 */
export async function startVerification(
  config: ServiceConfig,
  { hasura, metrics, log, now }: Services,
): Promise<Verification> {
  const { registry } = metrics
  const graphql = getSdk(hasura, observeHasuraCalls(recordHasuraCalls(metrics)))
  const contract = openGroupContract(config)
  await confirmChain(contract, log)
  const groups = readProvingGroups(config)
  const addresses = createGroupAddresses({
    graphql,
    names: [...new Set([...groups.production, ...groups.staging].map(({ name }) => name))],
    resolve: contract.resolve,
    now,
  })
  const keys = readAcceptedKeys(config)
  const pool = await startMeasuredPool(keys.byName, config, { registry, log })
  const nowSeconds = () => Math.floor(now() / 1_000)
  const checks: CheckServices = {
    pool,
    roots: createRootLookup({ addresses, contract, registry, now: createSteadyClock(nowSeconds) }),
    groups,
    keys: keys.names,
    maxAgeSeconds: config.ROOT_MAX_AGE_SECONDS,
    now: nowSeconds,
  }
  const countCrossCheck = countCrossChecks(registry)
  const services4 = { keys: keys.names, pool, registry, countCrossCheck, log, now }
  const worldChain = config.WORLD_CHAIN_RPC_URL
  const protocol4 = worldChain ? await openProtocol4(worldChain, config, services4) : null
  const gather = createGatherer(() => PROOF_DURATION_MS * (pool.queueLength() / pool.threads))
  return {
    verify: (submitted) => verifyProof(checks, submitted),
    examine: (submitted) => examineProof(checks, submitted),
    ...(protocol4 ?? protocol4Off),
    hasProtocol4: protocol4 !== null,
    ...createRecorder(graphql, gather),
    gather,
    addresses,
    probeChain: () => probeGroup(contract, addresses, groups.production[0].name),
    close: pool.close,
  }
}

/**
 * Asks the contract of a group about a root. If Hasura does not have the contract's address, asks the chain's name service, so
 * that a probe of the chain fails only because of the chain.
 */
async function probeGroup(contract: GroupContract, addresses: GroupAddresses, name: string) {
  const address = await addresses.find(name).catch(() => contract.resolve(name))
  if (address === null) throw new Error(`The chain's name service has no address for ${name}.`)
  return contract.queryRoot(address, 0n)
}

/**
 * Checks the chain id. If the chain is down, the service starts anyway; requests that need the chain fail until its id
 * is confirmed.
 *
 * @throws ConfigError if the server belongs to another chain
 */
async function confirmChain(contract: GroupContract, log: Log): Promise<void> {
  await contract.confirmChain().catch((fault: unknown) => {
    if (!(fault instanceof WrongChain)) return log.warn({ err: fault }, 'the chain does not answer')
    const { actual, expected } = fault
    throw new ConfigError(
      `CHAIN_RPC_URL belongs to chain ${actual}, but CHAIN_ID is ${expected}: use a server of chain ${expected}, or set CHAIN_ID to the chain of your groups.`,
    )
  })
}

function openGroupContract(config: SharedConfig) {
  return createGroupContract({
    rpcUrl: config.CHAIN_RPC_URL,
    chainId: config.CHAIN_ID,
    timeoutMs: config.CHAIN_TIMEOUT_MS,
    universalResolver: config.UNIVERSAL_RESOLVER_ADDRESS,
  })
}

function readAcceptedKeys(config: ServiceConfig) {
  return selectAcceptedKeys({
    production: config.VERIFICATION_KEYS_PRODUCTION,
    staging: config.VERIFICATION_KEYS_STAGING,
    legacy: config.VERIFICATION_KEYS_LEGACY,
    developmentKey: readKeyFile(config.DEVELOPMENT_KEY_FILE),
    ...readKeysOf4(config),
    isProduction: config.NODE_ENV === 'production',
  })
}

/** Reads the choice of keys for protocol 4.0; no key if the service refuses the protocol. */
function readKeysOf4(config: ServiceConfig) {
  if (config.WORLD_CHAIN_RPC_URL === undefined)
    return { production4: [], staging4: [], developmentKey4: null }
  return {
    production4: config.VERIFICATION_KEYS_4_PRODUCTION,
    staging4: config.VERIFICATION_KEYS_4_STAGING,
    developmentKey4: readKeyFile(config.DEVELOPMENT_KEY_4_FILE),
  }
}

function readKeyFile(file: string | undefined): string | null {
  return file ? readFileSync(file, 'utf8') : null
}
