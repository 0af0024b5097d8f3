import { LRUCache } from 'lru-cache'
import { hashToken } from '../secrets/secret.ts'
import { createFairQueue, type Leave } from './fair-queue.ts'
import { createRecentCounts } from './recent-counts.ts'

/** A caller that shows credentials. */
export type Bearer = { address: string; credentials: string }

/**
 * Limits the work that wrong credentials cause. Failures count by address, since a caller that guesses sends new
 * credentials each time. At an address with many failures, unknown credentials wait in a queue before they are checked.
 * Credentials that were right recently do not wait. So the queue does not delay other callers at the same address (an
 * office, a provider's network).
 */
export type CredentialGate = {
  /**
   * Waits until the credentials may be tried.
   *
   * @returns the function that ends the try
   * @throws TooBusy when too many tries wait, or no place is free in time
   * @throws Gone when the caller disconnects
   */
  enter(bearer: Bearer, signal?: AbortSignal): Promise<Leave>
  /** Records the outcome of a try. */
  settle(bearer: Bearer, outcome: CredentialOutcome): void
}

/** `unknown` means that the try ended before the credentials were checked. */
export type CredentialOutcome = 'right' | 'wrong' | 'unknown'

/** A normal address sometimes has this many failures within a few seconds. */
const FREE_FAILURES = 20
/** After this time, half of the failures are forgotten. */
const HALF_LIFE_MS = 10_000
/** The most credentials that are remembered as right, and how long they are remembered after they were last right. */
const MAX_CREDENTIALS = 20_000
const CREDENTIALS_MS = 3_600_000

/** The limits of the queue for unknown credentials. All addresses with many failures share it; a caller is an address. */
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
  const rightCredentials = new LRUCache<string, true>({
    max: MAX_CREDENTIALS,
    ttl: CREDENTIALS_MS,
    perf: { now },
  })
  const failures = createRecentCounts(HALF_LIFE_MS, now)
  const tries = createFairQueue(TRIES, now)
  return {
    async enter({ address, credentials }, signal) {
      if (failures.of(address) < FREE_FAILURES) return NO_PLACE
      if (rightCredentials.has(hashToken(credentials))) return NO_PLACE
      return tries.enter([address], { signal })
    },
    settle({ address, credentials }, outcome) {
      const hash = hashToken(credentials)
      if (outcome === 'right') rightCredentials.set(hash, true)
      if (outcome === 'wrong') rightCredentials.delete(hash)
      if (outcome !== 'right' && !rightCredentials.has(hash)) failures.add(address)
    },
  }
}

/** Ends a try that took no place. */
const NO_PLACE: Leave = () => {}
