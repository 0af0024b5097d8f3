import { LRUCache } from 'lru-cache'
import { Counter, type Registry } from 'prom-client'
import type { GroupContract, RootRecord } from '../../chain/group-contract.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import type { GroupAddresses } from './group-addresses.ts'

/** Looks up Merkle roots of the groups. */
export type RootLookup = {
  /**
   * @param group the name of the group's contract
   * @param callers those whose share of the chain a query takes
   * @throws unavailable when the chain does not answer, or too many callers wait for the chain
   */
  find(group: string, root: bigint, callers: readonly string[]): Promise<RootRecord>
}

type Options = {
  addresses: Pick<GroupAddresses, 'find'>
  contract: Pick<GroupContract, 'queryRoot'>
  registry: Registry
  /** Seconds since the epoch. */
  now: () => number
  /** The turns of callers at the chain. */
  turns?: Pick<FairQueue, 'enter'>
  /** How many answers are remembered; the least recently used are forgotten first. */
  maxEntries?: number
}

/**
 * How long an answer is remembered. A root may be superseded at any time, or become the latest again when an insertion
 * is undone; an answer that is a minute old is close enough for judging the root's age.
 */
const ANSWER_LIFETIME_SECONDS = 60

/** Roots that are looked up on the chain at a time: a caller that sends many unknown roots waits the longest. */
const CHAIN_QUERIES = {
  places: 32,
  placesPerCaller: 12,
  placesForHeavy: 16,
  maxWaiting: 2_000,
  maxWaitingPerCaller: 300,
  maxWaitMs: 5_000,
}

/**
 * Looks up roots and remembers them. Concurrent lookups of one root share one query to the chain.
 *
 * An unknown root is not remembered, because it may be published at any moment. A query that fails is not remembered
 * either, and fails for every caller that waits for it.
 */
export function createRootLookup(options: Options): RootLookup {
  const { addresses, contract, registry, now, maxEntries = 10_000 } = options
  const { turns = createFairQueue(CHAIN_QUERIES) } = options
  const lookups = countLookups(registry)
  const remembered = new LRUCache<string, RootRecord>({
    max: maxEntries,
    ttl: ANSWER_LIFETIME_SECONDS * 1_000,
    ttlResolution: 0,
    perf: { now: () => now() * 1_000 },
  })
  const pending = new Map<string, Promise<RootRecord>>()

  return {
    async find(group, root, callers) {
      const name = nameOf(group, root)
      const known = remembered.get(name)
      if (known) {
        lookups.inc({ answer: 'memory' })
        return known
      }
      lookups.inc({ answer: pending.has(name) ? 'under_way' : 'chain' })
      return pending.get(name) ?? queryInTurn(group, root, callers)
    },
  }

  /** Shares a query that is under way, but not the wait for a turn: another caller's wait may be longer. */
  async function queryInTurn(group: string, root: bigint, callers: readonly string[]) {
    const name = nameOf(group, root)
    const leave = await turns.enter(callers).catch(throwUnavailable)
    try {
      return (
        remembered.get(name) ?? (await (pending.get(name) ?? share(name, queryChain(group, root))))
      )
    } finally {
      leave()
    }
  }

  async function queryChain(group: string, root: bigint): Promise<RootRecord> {
    try {
      return await contract.queryRoot(await addresses.find(group), root)
    } catch (cause) {
      return throwUnavailable(cause)
    }
  }

  function share(name: string, answer: Promise<RootRecord>): Promise<RootRecord> {
    const shared = answer.then((root) => remember(name, root)).finally(() => pending.delete(name))
    pending.set(name, shared)
    return shared
  }

  function remember(name: string, root: RootRecord): RootRecord {
    if (root.known) remembered.set(name, root)
    return root
  }
}

function nameOf(group: string, root: bigint): string {
  return `${group} ${root}`
}

function countLookups(registry: Registry) {
  return new Counter({
    name: 'root_lookups_total',
    help: 'Roots looked up, by where the answer came from: `memory`, `chain`, or a query `under_way`',
    labelNames: ['answer'],
    registers: [registry],
  })
}

/** A chain that does not answer and a full queue are the same for a client: the client may try again later. */
function throwUnavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
