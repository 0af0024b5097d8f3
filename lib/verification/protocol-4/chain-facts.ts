import { Counter, type Registry } from 'prom-client'
import type { VerifierSettings, WorldIdContracts } from '../../chain/world-id-contracts.ts'
import type { PublicKey } from '../../proof/protocol-4/public-signals.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import { createSharedLookup, type FactSource, SOURCES } from '../lookup/shared-lookup.ts'

/** The facts about a proof of protocol 4.0 that only the chain knows. All functions throw unavailable, like SharedLookup. */
export type ChainFacts = {
  settings(verifier: string, callers: readonly string[]): Promise<VerifierSettings>
  isValidRoot(registry: string, root: bigint, callers: readonly string[]): Promise<boolean>
  /** Returns null if the issuer is not registered. */
  issuerKey(
    registry: string,
    issuerSchemaId: bigint,
    callers: readonly string[],
  ): Promise<PublicKey | null>
  /** Returns null if the relying party has no OPRF key. */
  oprfKey(registry: string, rpId: bigint, callers: readonly string[]): Promise<PublicKey | null>
}

type Contracts = Pick<WorldIdContracts, 'readSettings' | 'isValidRoot' | 'issuerKey' | 'oprfKey'>

type Options = {
  contracts: Contracts
  registry: Registry
  /** Seconds since the epoch, with fractions. */
  now: () => number
  /** The queue in which lookups wait for the chain. */
  turns?: Pick<FairQueue, 'enter'>
  /** The most cached facts of each kind; the least recently used are dropped first. */
  maxEntries?: number
}

/**
 * How long a fact is cached, as for the roots of protocol 3.0. So a root that expires, a key that is replaced and an
 * issuer that is removed are noticed within a minute.
 */
const FACT_LIFETIME_SECONDS = 60

/**
 * How long an invalid root or a missing key is cached. One request has up to twelve proofs, each with a root, an issuer and a
 * relying party. So without this cache, a caller who repeats one refused request would keep the chain busy. The time is
 * short, because a root may be published, or a key registered, at any moment: a person who tries again after two seconds
 * must get the new answer.
 */
const ABSENCE_LIFETIME_SECONDS = 2

/** The limits of concurrent lookups on the chain: twice the limits of protocol 3.0, since a proof needs several lookups. */
const CHAIN_QUERIES = {
  places: 64,
  placesPerCaller: 24,
  placesForHeavy: 32,
  maxWaiting: 4_000,
  maxWaitingPerCaller: 600,
  maxWaitMs: 5_000,
}

const KINDS = ['settings', 'root', 'issuer', 'rp'] as const

type FactKind = (typeof KINDS)[number]

/** Creates the lookups, which cache facts. */
export function createChainFacts(options: Options): ChainFacts {
  const { contracts, registry, now, maxEntries = 10_000 } = options
  const { turns = createFairQueue(CHAIN_QUERIES) } = options
  const count = countLookups(registry)
  const lookupOf = <Fact extends object | boolean | null>(
    kind: FactKind,
    isPresent: (fact: Fact) => boolean,
  ) =>
    createSharedLookup<Fact>({
      isPresent,
      lifetimeSeconds: FACT_LIFETIME_SECONDS,
      absentLifetimeSeconds: ABSENCE_LIFETIME_SECONDS,
      maxEntries,
      now,
      turns,
      count: (source) => count(kind, source),
    })
  const settings = lookupOf<VerifierSettings>('settings', () => true)
  const roots = lookupOf<boolean>('root', (isValid) => isValid)
  const issuers = lookupOf<PublicKey | null>('issuer', (key) => key !== null)
  const relyingParties = lookupOf<PublicKey | null>('rp', (key) => key !== null)
  return {
    settings: (verifier, callers) =>
      settings(verifier, () => contracts.readSettings(verifier), callers),
    isValidRoot: (registry, root, callers) =>
      roots(`${registry} ${root}`, () => contracts.isValidRoot(registry, root), callers),
    issuerKey: (registry, id, callers) =>
      issuers(`${registry} ${id}`, () => contracts.issuerKey(registry, id), callers),
    oprfKey: (registry, rpId, callers) =>
      relyingParties(`${registry} ${rpId}`, () => contracts.oprfKey(registry, rpId), callers),
  }
}

/** Reads each fact from the chain, without a cache. */
export function uncachedFacts(contracts: Contracts): ChainFacts {
  return {
    settings: (verifier) => contracts.readSettings(verifier),
    isValidRoot: (registry, root) => contracts.isValidRoot(registry, root),
    issuerKey: (registry, issuerSchemaId) => contracts.issuerKey(registry, issuerSchemaId),
    oprfKey: (registry, rpId) => contracts.oprfKey(registry, rpId),
  }
}

/** Counts the lookups. All counters start at 0. */
function countLookups(registry: Registry): (fact: FactKind, answer: FactSource) => void {
  const lookups = new Counter({
    name: 'world_chain_lookups_total',
    help: 'Lookups of facts of protocol 4.0, by the kind of fact and the source of the answer: `memory`, `chain`, or a query `under_way`',
    labelNames: ['fact', 'answer'],
    registers: [registry],
  })
  for (const fact of KINDS) for (const answer of SOURCES) lookups.inc({ fact, answer }, 0)
  return (fact, answer) => lookups.inc({ fact, answer })
}
