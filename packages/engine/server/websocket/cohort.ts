import { hash } from 'node:crypto'
import { listen } from '../../../../lib/runtime/limits/abort-signals.ts'
import type { EngineError } from '../../errors.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** Receives the results of a subscription, until `signal` is aborted. */
export type ResultListener = {
  /** The caller that the subscription's work is charged to; null for a caller without limits. */
  caller: string | null
  signal: AbortSignal
  /** `body` is the JSON text `{"data":…}`. */
  next(body: string): void
  /** Called each time the statement fails. Results follow once it succeeds again. */
  onFailure(reason: EngineError): void
}

export type Subscriber = ResultListener & {
  /** True until the statement has succeeded or failed once for this subscriber. */
  isNew: boolean
  resolve(): void
  reject(reason: unknown): void
}

/** Live queries with the same statement and values, which therefore share a result; or a single stream. */
export type Cohort = {
  key: string
  values: readonly (string | null)[]
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
  subscribers: Set<Subscriber>
  /** True once the cohort has had a result. */
  hasResult: boolean
  /** A hash of the latest result, which itself may be large. Null if the next result must be sent even if it is the same. */
  latestHash: string | null
  /** True if the statement failed for this cohort alone. The engine then runs the cohort outside batches. */
  isFailing: boolean
  /** Aborted when the last subscriber leaves. */
  controller: AbortController
}

let streamCount = 0

/** Adds a subscriber to the cohort of its values. Creates the cohort if it does not exist. */
export function joinCohort(
  cohorts: Map<string, Cohort>,
  { values, cursor }: DatabaseSubscription,
  subscriber: Subscriber,
): void {
  // Each stream gets its own cohort, because its cursor moves independently.
  streamCount += 1
  const key = cursor === null ? JSON.stringify(values) : `stream ${streamCount}`
  const cohort = cohorts.get(key) ?? {
    key,
    values,
    cursor,
    subscribers: new Set<Subscriber>(),
    hasResult: false,
    latestHash: null,
    isFailing: false,
    controller: new AbortController(),
  }
  cohorts.set(key, cohort)
  cohort.subscribers.add(subscriber)
  listen(subscriber.signal, () => {
    cohort.subscribers.delete(subscriber)
    if (cohort.subscribers.size === 0 && cohorts.get(key) === cohort) cohorts.delete(key)
    if (cohort.subscribers.size === 0) cohort.controller.abort()
    subscriber.resolve()
  })
}

export type LiveRow = { id: number; result: string; cursor: string | null }

/** Sends a result to the subscribers that do not have it. */
export function deliverResult(cohort: Cohort, { result, cursor }: LiveRow): void {
  cohort.isFailing = false
  cohort.hasResult = true
  if (cohort.cursor === null) deliverLatest(cohort, result)
  else advanceStream(cohort, result, cursor)
}

function deliverLatest(cohort: Cohort, result: string) {
  const latestHash = hash('sha256', result, 'base64')
  for (const subscriber of cohort.subscribers) {
    if (!subscriber.isNew && latestHash === cohort.latestHash) continue
    subscriber.isNew = false
    subscriber.next(result)
  }
  cohort.latestHash = latestHash
}

/** Sends the next rows of a stream, and moves its cursor behind them. Sends nothing if there are no rows. */
function advanceStream(cohort: Cohort, result: string, cursor: string | null) {
  for (const subscriber of cohort.subscribers) subscriber.isNew = false
  if (cursor === null) return
  cohort.values = cohort.values.map((value, i) => (i === cohort.cursor ? cursor : value))
  for (const subscriber of cohort.subscribers) subscriber.next(result)
}

/** Reports a failure. The next result is then sent even if it equals the last result. */
export function deliverFailure(cohorts: readonly Cohort[], reason: EngineError): void {
  for (const cohort of cohorts) {
    cohort.latestHash = null
    for (const subscriber of cohort.subscribers) {
      subscriber.isNew = false
      subscriber.onFailure(reason)
    }
  }
}
