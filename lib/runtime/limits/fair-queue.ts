import { LRUCache } from 'lru-cache'
import { TooBusy } from '../too-busy.ts'
import { listen } from './abort-signals.ts'
import {
  type CallerShare,
  countTurn,
  haveUsedLess,
  meanTurnMs,
  mostRecentUse,
  unusedShare,
  waitingMs,
} from './caller-share.ts'

/** Gives a place back. */
export type Leave = () => void

/**
 * Divides the places of a resource between callers. A free place goes to the caller with the least recent use, so a
 * caller with few requests hardly ever waits. If the queue is full, a caller with less recent use displaces the last
 * request of the heaviest caller.
 */
export type FairQueue = {
  /**
   * Waits for a place.
   *
   * @param callers all callers that the request counts for, such as an app and an address; the heaviest determines how long the request waits
   * @throws TooBusy when too many requests wait, when a lighter caller displaces this one, or when no place is free in
   *   time
   * @throws Gone when `signal` aborts
   */
  enter(callers: readonly string[], options?: EnterOptions): Promise<Leave>
  /**
   * Checks for room before the caller does other work and then enters.
   *
   * @throws TooBusy when the queue has no room for the caller
   */
  requireRoom(callers: readonly string[]): void
  /** The number of requests that wait. */
  readonly length: number
}

export type EnterOptions = {
  /** Aborts when the caller disconnects. */
  signal?: AbortSignal | undefined
  /** True if the request waits without a time limit and is never refused. */
  isPatient?: boolean
}

export type FairQueueLimits = {
  /** The number of places. */
  places: number
  placesPerCaller: number
  /**
   * The most places of all heavy callers together. A caller with a recent use of `LIGHT_MS` or more is heavy. Light
   * callers may have the other places.
   */
  placesForHeavy: number
  /**
   * The most places of all slow callers together. A caller with a recent mean turn above `SLOW_MS` is slow. By default
   * all places.
   */
  placesForSlow?: number
  maxWaiting: number
  maxWaitingPerCaller: number
  maxWaitMs: number
}

/** An error: the caller disconnected while it waited for a place. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

/** A caller with a recent use below this is light. A caller that always has two places stays just below this limit. */
const LIGHT_MS = 30_000

/** Concurrent requests that take this long slow down all other requests on the same processor or database. */
const SLOW_MS = 100

/** The use of at most this many callers is remembered. Far fewer callers can have a place or wait at the same time. */
const MAX_CALLERS = 20_000

/** The waiting requests of the same callers, in order. */
type Line = { key: string; shares: readonly CallerShare[]; turns: Turn[] }

type Turn = { begin(leave: Leave): void; refuse(message: string): void; isPatient: boolean }

/** @param now a clock in milliseconds */
export function createFairQueue(limits: FairQueueLimits, now = () => performance.now()): FairQueue {
  const sharesByCaller = new LRUCache<string, CallerShare>({ max: MAX_CALLERS })
  const lines = new Map<string, Line>()
  let runningCount = 0
  let heavyCount = 0
  let slowCount = 0
  const { placesForSlow = limits.places } = limits
  let waitingCount = 0

  return {
    async enter(callers, { signal, isPatient = false } = {}) {
      const shares = sharesOf(callers)
      const key = callers.join('\n')
      if (!lines.has(key) && hasPlace(shares)) return begin(shares)
      if (!isPatient) findRoom(shares)?.refuse('a caller with less recent use took the room')
      return wait({ key, shares, signal, isPatient })
    },
    requireRoom(callers) {
      findRoom(sharesOf(callers))
    },
    get length() {
      return waitingCount
    },
  }

  function sharesOf(callers: readonly string[]): CallerShare[] {
    return [...new Set(callers)].map(shareOf)
  }

  function shareOf(caller: string): CallerShare {
    const knownShare = sharesByCaller.get(caller)
    if (knownShare) return knownShare
    const share = unusedShare(now())
    sharesByCaller.set(caller, share)
    return share
  }

  /** Returns the turn to displace from a full queue; undefined if there is room. */
  function findRoom(shares: readonly CallerShare[]): Turn | undefined {
    const fullShares = shares.filter((share) => share.waitingCount >= limits.maxWaitingPerCaller)
    if (fullShares.length === 0 && waitingCount < limits.maxWaiting) return
    const displacedTurn = findDisplacedTurn(shares, fullShares)
    if (displacedTurn) return displacedTurn
    const waitMs = fullShares.length > 0 ? waitingMs(shares) : limits.maxWaitMs
    throw new TooBusy('too many requests wait already', waitMs)
  }

  /**
   * Returns the last turn of the heaviest callers that have used more than `shares` and that include all of
   * `fullShares`.
   */
  function findDisplacedTurn(
    shares: readonly CallerShare[],
    fullShares: readonly CallerShare[],
  ): Turn | undefined {
    const time = now()
    let [displacedTurn, heaviest]: [Turn | undefined, readonly CallerShare[]] = [undefined, shares]
    for (const line of lines.values()) {
      const turn = line.turns.findLast(({ isPatient }) => !isPatient)
      const makesRoom = fullShares.every((share) => line.shares.includes(share))
      if (turn && makesRoom && haveUsedLess(heaviest, line.shares, time))
        [displacedTurn, heaviest] = [turn, line.shares]
    }
    return displacedTurn
  }

  function hasPlace(shares: readonly CallerShare[]): boolean {
    if (runningCount >= limits.places) return false
    if (shares.some((share) => share.runningCount >= limits.placesPerCaller)) return false
    if (slowCount >= placesForSlow && shares.some(isSlow)) return false
    return heavyCount < limits.placesForHeavy || isLight(shares)
  }

  function isLight(shares: readonly CallerShare[]): boolean {
    return mostRecentUse(shares, now()) < LIGHT_MS
  }

  function begin(shares: readonly CallerShare[]): Leave {
    const heavyPlaces = isLight(shares) ? 0 : 1
    const slowPlaces = shares.some(isSlow) ? 1 : 0
    const startedAt = now()
    runningCount += 1
    heavyCount += heavyPlaces
    slowCount += slowPlaces
    for (const share of shares) share.runningCount += 1
    return () => {
      const endedAt = now()
      runningCount -= 1
      heavyCount -= heavyPlaces
      slowCount -= slowPlaces
      for (const share of shares) {
        share.runningCount -= 1
        countTurn(share, endedAt - startedAt, endedAt)
      }
      giveFreePlaces()
    }
  }

  function giveFreePlaces() {
    for (let line = nextLine(); line; line = nextLine()) {
      const turn = line.turns.shift()
      endWait(line)
      turn?.begin(begin(line.shares))
    }
  }

  /** Returns the line with the least recent use by its callers, among the lines that may get a place now. */
  function nextLine(): Line | null {
    const time = now()
    let best: Line | null = null
    for (const line of lines.values())
      if (hasPlace(line.shares) && (!best || haveUsedLess(line.shares, best.shares, time)))
        best = line
    return best
  }

  function endWait({ key, shares, turns }: Line) {
    waitingCount -= 1
    for (const share of shares) share.waitingCount -= 1
    if (turns.length === 0) lines.delete(key)
  }

  function wait({ key, shares, signal, isPatient }: WaitOptions): Promise<Leave> {
    const line = lines.get(key) ?? { key, shares, turns: [] }
    lines.set(key, line)
    waitingCount += 1
    for (const share of line.shares) share.waitingCount += 1
    return new Promise((resolve, reject) => {
      const cleanups: (() => void)[] = []
      const giveUp = (reason: Error) => {
        const place = line.turns.indexOf(turn)
        if (place < 0) return
        line.turns.splice(place, 1)
        endWait(line)
        for (const end of cleanups) end()
        reject(reason)
      }
      const turn: Turn = {
        isPatient,
        begin(leave) {
          for (const end of cleanups) end()
          resolve(leave)
        },
        refuse: (message) => giveUp(new TooBusy(message, waitingMs(line.shares))),
      }
      line.turns.push(turn)
      if (!isPatient) {
        const timer = setTimeout(() => turn.refuse('no place was free in time'), limits.maxWaitMs)
        cleanups.push(() => clearTimeout(timer))
      }
      if (!signal) return
      const onAbort = () => giveUp(new Gone('the waiting caller disconnected'))
      cleanups.push(() => signal.removeEventListener('abort', onAbort))
      listen(signal, onAbort)
    })
  }
}

type WaitOptions = {
  key: string
  shares: readonly CallerShare[]
  signal: AbortSignal | undefined
  isPatient: boolean
}

function isSlow(share: CallerShare): boolean {
  return meanTurnMs(share) > SLOW_MS
}
