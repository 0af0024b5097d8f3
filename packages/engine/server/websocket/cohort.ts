import { hash } from 'node:crypto'
import { listen } from '../../../../lib/runtime/limits/abort-signals.ts'
import type { EngineError } from '../../errors.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** Receives the results of a subscription, until `signal` is aborted. */
export type ResultListener = {
  /** Whose share of the engine's work the subscription takes; null if it has no bounds. */
  caller: string | null
  signal: AbortSignal
  /** `body` is the JSON text `{"data":…}`. */
  next(body: string): void
  /** Called each time the statement fails; further results follow when it works again. */
  failed(reason: EngineError): void
}

export type Subscriber = ResultListener & {
  /** Whether it has neither a result nor a failure yet. */
  isNew: boolean
  resolve(): void
  reject(reason: unknown): void
}

/** Subscriptions with the same statement and values, and therefore the same result. */
export type Cohort = {
  key: string
  values: readonly (string | null)[]
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
  subscribers: Set<Subscriber>
  /** Whether it has ever had a result. */
  hasAnswered: boolean
  /** A hash of the latest result, since results may be large; null when the next one is sent whatever it is. */
  latest: string | null
  /** Whether it failed when it was executed alone; it is then kept out of batches. */
  isFailing: boolean
  /** Aborted when the last subscriber leaves. */
  abandoned: AbortController
}

let streamCount = 0

/** Adds a subscriber to the cohort of its values, which is made if there is none. */
export function joinCohort(
  cohorts: Map<string, Cohort>,
  { values, cursor }: DatabaseSubscription,
  subscriber: Subscriber,
): void {
  // Each stream is a cohort of its own, because its cursor moves independently.
  streamCount += 1
  const key = cursor === null ? JSON.stringify(values) : `stream ${streamCount}`
  const cohort = cohorts.get(key) ?? {
    key,
    values,
    cursor,
    subscribers: new Set<Subscriber>(),
    hasAnswered: false,
    latest: null,
    isFailing: false,
    abandoned: new AbortController(),
  }
  cohorts.set(key, cohort)
  cohort.subscribers.add(subscriber)
  listen(subscriber.signal, () => {
    cohort.subscribers.delete(subscriber)
    if (cohort.subscribers.size === 0 && cohorts.get(key) === cohort) cohorts.delete(key)
    if (cohort.subscribers.size === 0) cohort.abandoned.abort()
    subscriber.resolve()
  })
}

export type LiveRow = { id: number; result: string; cursor: string | null }

/** Sends a result to those who have not seen it. */
export function deliverResult(cohort: Cohort, { result, cursor }: LiveRow): void {
  cohort.isFailing = false
  cohort.hasAnswered = true
  if (cohort.cursor === null) deliverLatest(cohort, result)
  else advanceStream(cohort, result, cursor)
}

function deliverLatest(cohort: Cohort, result: string) {
  const latest = hash('sha256', result, 'base64')
  for (const subscriber of cohort.subscribers) {
    if (!subscriber.isNew && latest === cohort.latest) continue
    subscriber.isNew = false
    subscriber.next(result)
  }
  cohort.latest = latest
}

/** Handles the next rows of a stream: moves its cursor behind them and sends them; without rows, does nothing. */
function advanceStream(cohort: Cohort, result: string, cursor: string | null) {
  for (const subscriber of cohort.subscribers) subscriber.isNew = false
  if (cursor === null) return
  cohort.values = cohort.values.map((value, i) => (i === cohort.cursor ? cursor : value))
  for (const subscriber of cohort.subscribers) subscriber.next(result)
}

/** Reports a failure. The next result is then sent even if it equals the last one. */
export function deliverFailure(cohorts: readonly Cohort[], reason: EngineError): void {
  for (const cohort of cohorts) {
    cohort.latest = null
    for (const subscriber of cohort.subscribers) {
      subscriber.isNew = false
      subscriber.failed(reason)
    }
  }
}
