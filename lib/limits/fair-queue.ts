import { LRUCache } from 'lru-cache'
import type { Leaver } from './leaver.ts'

/** Gives a place back. */
export type Leave = () => void

/**
 * Divides the places of a resource between callers. A free place goes to whoever has used the least lately: so who asks
 * for the most waits the longest, and who asks for little hardly ever waits.
 */
export type FairQueue = {
  /**
   * Waits for a place.
   *
   * @param callers all whose share it takes, such as an app and an address: the one who has used the most decides
   * @throws TooBusy when too many wait already, or no place is free in time; Gone
   */
  enter(callers: readonly string[], options?: EnterOptions): Promise<Leave>
  /** How many wait. */
  readonly length: number
}

export type EnterOptions = {
  leaver?: Leaver
  /** Whether it waits for as long as it takes, and is never refused. */
  isPatient?: boolean
}

export type FairQueueLimits = {
  /** Places in all. */
  places: number
  placesPerCaller: number
  /** Places in all for callers who have lately used more than `LIGHT_MS`: others find the rest free. */
  placesForHeavy: number
  /** Places in all for callers who have lately kept a place for more than `SLOW_MS` on average; by default as many. */
  placesForSlow?: number
  maxWaiting: number
  maxWaitingPerCaller: number
  maxWaitMs: number
}

/** No place can be had now. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
  /** When to try again: by then those who wait before this caller will roughly have had their places. */
  readonly retryAfterSeconds: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)))
  }
}

/** Nobody is told to stay away for longer: much changes meanwhile. */
const MAX_RETRY_SECONDS = 30

/** Who waited for a place has gone. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

/** A caller who has used less than this lately counts as light: one who always has two places uses a little less. */
const LIGHT_MS = 30_000

/** Several that take so long at once slow down all others, where these share a processor or a database. */
const SLOW_MS = 100

/** After this long, half of what was used is forgotten. */
const HALF_LIFE_MS = 10_000

/** Callers whose use is remembered: far more than can have a place, or wait for one. */
const MAX_CALLERS = 20_000

/** What a caller has of the resource. */
type Share = {
  running: number
  waiting: number
  /** How long the caller has had places, in milliseconds, as of `asOf`; what was before counts less and less. */
  usedMs: number
  /** How many places the caller has given back, counted in the same way. */
  turns: number
  asOf: number
}

/** Those who wait with the same shares, in order. */
type Line = { key: string; shares: readonly Share[]; turns: Turn[] }

type Turn = { begin(leave: Leave): void }

/** @param now a clock in milliseconds */
export function fairQueue(limits: FairQueueLimits, now = () => performance.now()): FairQueue {
  const known = new LRUCache<string, Share>({ max: MAX_CALLERS })
  const lines = new Map<string, Line>()
  let running = 0
  let runningHeavy = 0
  let runningSlow = 0
  const { placesForSlow = limits.places } = limits
  let waiting = 0

  return {
    async enter(callers, { leaver = STAYER, isPatient = false } = {}) {
      const shares = [...new Set(callers)].map(shareOf)
      const key = callers.join('\n')
      if (!lines.has(key) && hasPlace(shares)) return begin(shares)
      if (!isPatient) requireRoom(shares)
      return wait({ key, shares, leaver, maxWaitMs: isPatient ? null : limits.maxWaitMs })
    },
    get length() {
      return waiting
    },
  }

  function shareOf(caller: string): Share {
    const share = known.get(caller)
    if (share) return share
    const fresh = { running: 0, waiting: 0, usedMs: 0, turns: 0, asOf: now() }
    known.set(caller, fresh)
    return fresh
  }

  function requireRoom(shares: readonly Share[]) {
    const isFull = shares.some((share) => share.waiting >= limits.maxWaitingPerCaller)
    if (!isFull && waiting < limits.maxWaiting) return
    throw new TooBusy('too many wait already', isFull ? turnMs(shares) : limits.maxWaitMs)
  }

  function hasPlace(shares: readonly Share[]): boolean {
    if (running >= limits.places) return false
    if (shares.some((share) => share.running >= limits.placesPerCaller)) return false
    if (runningSlow >= placesForSlow && shares.some(isSlow)) return false
    return runningHeavy < limits.placesForHeavy || isLight(shares)
  }

  function isLight(shares: readonly Share[]): boolean {
    return mostRecentUse(shares, now()) < LIGHT_MS
  }

  function begin(shares: readonly Share[]): Leave {
    const heavy = isLight(shares) ? 0 : 1
    const slow = shares.some(isSlow) ? 1 : 0
    const began = now()
    running += 1
    runningHeavy += heavy
    runningSlow += slow
    for (const share of shares) share.running += 1
    return () => {
      const ended = now()
      running -= 1
      runningHeavy -= heavy
      runningSlow -= slow
      for (const share of shares) {
        share.running -= 1
        share.usedMs = recentUse(share, ended) + (ended - began)
        share.turns = share.turns * decay(share, ended) + 1
        share.asOf = ended
      }
      giveFreePlaces()
    }
  }

  function giveFreePlaces() {
    for (let next = nextLine(); next; next = nextLine()) {
      const turn = next.turns.shift()
      endWait(next)
      turn?.begin(begin(next.shares))
    }
  }

  /** The line with the least use, among those who may have a place. */
  function nextLine(): Line | null {
    const at = now()
    let [next, least]: [Line | null, number] = [null, Number.POSITIVE_INFINITY]
    for (const line of lines.values()) {
      const use = mostRecentUse(line.shares, at)
      if (use < least && hasPlace(line.shares)) [next, least] = [line, use]
    }
    return next
  }

  function endWait({ key, shares, turns }: Line) {
    waiting -= 1
    for (const share of shares) share.waiting -= 1
    if (turns.length === 0) lines.delete(key)
  }

  function wait({ key, shares, leaver, maxWaitMs }: Waiting): Promise<Leave> {
    const line = lines.get(key) ?? { key, shares, turns: [] }
    lines.set(key, line)
    waiting += 1
    for (const share of line.shares) share.waiting += 1
    return new Promise((resolve, reject) => {
      const ends: (() => void)[] = []
      const turn: Turn = {
        begin(leave) {
          for (const end of ends) end()
          resolve(leave)
        },
      }
      const giveUp = (reason: Error) => {
        const place = line.turns.indexOf(turn)
        if (place < 0) return
        line.turns.splice(place, 1)
        endWait(line)
        for (const end of ends) end()
        reject(reason)
      }
      line.turns.push(turn)
      if (maxWaitMs !== null) {
        const refuse = () => giveUp(new TooBusy('no place was free in time', turnMs(line.shares)))
        const timer = setTimeout(refuse, maxWaitMs)
        ends.push(() => clearTimeout(timer))
      }
      ends.push(leaver.onGone(() => giveUp(new Gone('who waited has gone'))))
    })
  }
}

type Waiting = {
  key: string
  shares: readonly Share[]
  leaver: Leaver
  /** Null for as long as it takes. */
  maxWaitMs: number | null
}

/** Stands for somebody who never goes away. */
const STAYER: Leaver = { onGone: () => () => {} }

function mostRecentUse(shares: readonly Share[], at: number): number {
  return shares.reduce((most, share) => Math.max(most, recentUse(share, at)), 0)
}

function recentUse(share: Share, at: number): number {
  return share.usedMs * decay(share, at)
}

/** What is left at this time of what counted in full when the share was last changed. */
function decay({ asOf }: Share, at: number): number {
  return 0.5 ** ((at - asOf) / HALF_LIFE_MS)
}

function isSlow(share: Share): boolean {
  return meanTurnMs(share) > SLOW_MS
}

/** How long the caller has lately kept a place. */
function meanTurnMs({ usedMs, turns }: Share): number {
  return turns === 0 ? 0 : usedMs / turns
}

/** How long those take who wait already, at the pace of the slowest of the callers whose share it is. */
function turnMs(shares: readonly Share[]): number {
  return shares.reduce((longest, share) => Math.max(longest, msOfWaiting(share)), 0)
}

function msOfWaiting(share: Share): number {
  return (share.waiting * meanTurnMs(share)) / Math.max(1, share.running)
}
