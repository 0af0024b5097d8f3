import { LRUCache } from 'lru-cache'
import { hashToken } from '../secrets/secret.ts'
import { createFairQueue, type Leave } from './fair-queue.ts'
import { createRecentCounts } from './recent-counts.ts'

/** A caller that shows credentials. */
export type Bearer = { address: string; credentials: string }

/**
 * Bounds the work that wrong credentials cause. Failures count by address, since a caller that guesses has new credentials
 * each time. At an address with many failures, unknown credentials are tried one after another. Credentials that were right
 * lately are let through, so that other callers at the address (an office, a provider's network) go on as before.
 */
export type CredentialGate = {
  /**
   * Waits until the credentials may be tried.
   *
   * @returns the function that ends the try
   * @throws TooBusy when too many tries wait, or the turn does not come in time; Gone
   */
  enter(bearer: Bearer, signal?: AbortSignal): Promise<Leave>
  /** Records the outcome of a try. */
  settle(bearer: Bearer, outcome: CredentialOutcome): void
}

/** Unknown for a try that ended before the credentials were checked. */
export type CredentialOutcome = 'right' | 'wrong' | 'unknown'

/** Every address has this many failures within some seconds now and then. */
const FREE_FAILURES = 20
/** After this time, half of the failures are forgotten. */
const HALF_LIFE_MS = 10_000
/** The number of credentials that are remembered as right, and how long after their last use. */
const MAX_KNOWN = 20_000
const KNOWN_MS = 3_600_000

/** Tries of unknown credentials at a time: few for all suspicious addresses together. */
const TRIES = {
  places: 4,
  placesPerCaller: 1,
  placesForHeavy: 3,
  maxWaiting: 400,
  maxWaitingPerCaller: 20,
  maxWaitMs: 2_000,
}

/** @param now a clock in milliseconds */
export function createCredentialGate(now = () => performance.now()): CredentialGate {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: KNOWN_MS, perf: { now } })
  const failures = createRecentCounts(HALF_LIFE_MS, now)
  const tries = createFairQueue(TRIES, now)
  return {
    async enter({ address, credentials }, signal) {
      if (failures.of(address) < FREE_FAILURES || known.has(hashToken(credentials))) return FREE
      return tries.enter([address], { signal })
    },
    settle({ address, credentials }, outcome) {
      const name = hashToken(credentials)
      if (outcome === 'right') known.set(name, true)
      if (outcome === 'wrong') known.delete(name)
      if (outcome !== 'right' && !known.has(name)) failures.add(address)
    },
  }
}

/** Ends a try that took no place. */
const FREE: Leave = () => {}
