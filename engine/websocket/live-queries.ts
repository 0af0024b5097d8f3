import { present } from '../../lib/present.ts'
import { translatePostgresError } from '../database/postgres-errors.ts'
import type { Engine } from '../engine.ts'
import { EngineError, type ErrorCode } from '../errors.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** Receives the results of a subscription, until `signal` is aborted. */
export type ResultListener = {
  signal: AbortSignal
  /** `body` is the JSON text `{"data":…}`. */
  next(body: string): void
  /** Called each time the statement fails; further results follow when it works again. */
  failed(reason: EngineError): void
}

/** All running subscriptions of an engine. */
export type LiveQueries = {
  /**
   * Passes the first result to the listener, and then every result that differs from the previous one, until the
   * listener's signal is aborted.
   *
   * @throws the database's error when it cannot read the subscription's values, or a function rejects them at once
   */
  subscribe(subscription: DatabaseSubscription, listener: ResultListener): Promise<void>
  close(): void
}

/**
 * Polls the database for all subscriptions of the engine. Subscriptions with the same statement form a group: one
 * execution answers a batch of them. Those that also have the same values form a cohort, which shares one result.
 */
export function startLiveQueries(engine: Engine): LiveQueries {
  const groups = new Map<string, Group>()
  let isClosed = false

  async function poll(group: Group) {
    while (group.cohorts.size > 0 && !isClosed) {
      const due = Date.now() + group.intervalMs
      await refreshCohorts(engine, group, [...group.cohorts.values()])
      await waitAndServeNew(group, due)
    }
    groups.delete(group.statement)
  }

  /** Waits until the next round is due; new cohorts get their first result meanwhile. */
  async function waitAndServeNew(group: Group, due: number) {
    for (let left = due - Date.now(); left > 0 && !isClosed; left = due - Date.now()) {
      await waitUntilWoken(group, left)
      const newCohorts = [...group.cohorts.values()].filter((cohort) => cohort.lastResult === null)
      if (newCohorts.length > 0) await refreshCohorts(engine, group, newCohorts)
      if (group.cohorts.size === 0) return
    }
  }

  function joinGroup(subscription: DatabaseSubscription, subscriber: Subscriber) {
    const existing = groups.get(subscription.statement)
    if (existing) return joinCohort(existing, subscription, subscriber)
    const group = createGroup(subscription, engine)
    groups.set(subscription.statement, group)
    joinCohort(group, subscription, subscriber)
    void poll(group)
  }

  return {
    subscribe: (subscription, listener) =>
      new Promise((resolve, reject) => {
        if (listener.signal.aborted || isClosed) return resolve()
        joinGroup(subscription, { ...listener, resolve, reject })
      }),
    close: () => {
      isClosed = true
      for (const group of groups.values()) group.wake()
    },
  }
}

/** Subscriptions with the same statement. */
type Group = {
  statement: string
  /** Reads the values of one subscription. */
  check: string
  givesArguments: boolean
  intervalMs: number
  batchSize: number
  cohorts: Map<string, Cohort>
  wake(): void
}

/** Subscriptions with the same statement and values, and therefore the same result. */
type Cohort = {
  key: string
  values: readonly (string | null)[]
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
  subscribers: Set<Subscriber>
  /** The latest result; null before the first, empty when new subscribers must not get it. */
  lastResult: string | null
  /** Whether it failed when it was executed alone; it is then kept out of batches. */
  isFailing: boolean
}

type Subscriber = ResultListener & { resolve(): void; reject(reason: unknown): void }

function createGroup(
  { statement, check, givesArguments, cursor }: DatabaseSubscription,
  { config }: Engine,
): Group {
  const stream = cursor !== null
  return {
    statement,
    check,
    givesArguments,
    intervalMs: stream ? config.streamsRefetchMs : config.liveQueriesRefetchMs,
    batchSize: Math.max(1, stream ? config.streamsBatchSize : config.liveQueriesBatchSize),
    cohorts: new Map(),
    wake: () => {},
  }
}

let streamCount = 0

function joinCohort(
  group: Group,
  { values, cursor }: DatabaseSubscription,
  subscriber: Subscriber,
) {
  // Each stream is a cohort of its own, because its cursor moves independently.
  streamCount += 1
  const key = cursor === null ? JSON.stringify(values) : `stream ${streamCount}`
  const cohort = group.cohorts.get(key) ?? {
    key,
    values,
    cursor,
    subscribers: new Set<Subscriber>(),
    lastResult: null,
    isFailing: false,
  }
  group.cohorts.set(key, cohort)
  cohort.subscribers.add(subscriber)
  subscriber.signal.addEventListener('abort', () => leaveCohort(group, cohort, subscriber), {
    once: true,
  })
  if (cohort.lastResult === null) group.wake()
  else if (cursor === null && cohort.lastResult !== '') subscriber.next(cohort.lastResult)
}

function leaveCohort(group: Group, cohort: Cohort, subscriber: Subscriber) {
  cohort.subscribers.delete(subscriber)
  if (cohort.subscribers.size === 0 && group.cohorts.get(cohort.key) === cohort) {
    group.cohorts.delete(cohort.key)
  }
  subscriber.resolve()
}

function waitUntilWoken(group: Group, atMostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, atMostMs)
    group.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function refreshCohorts(engine: Engine, group: Group, cohorts: readonly Cohort[]) {
  const working = cohorts.filter(({ isFailing }) => !isFailing)
  for (let i = 0; i < working.length; i += group.batchSize)
    await refreshBatch(engine, group, working.slice(i, i + group.batchSize))
  for (const cohort of cohorts) if (cohort.isFailing) await refreshBatch(engine, group, [cohort])
}

/** Refreshes a batch. One invalid value fails the statement for all cohorts, so each is then tried alone. */
async function refreshBatch(engine: Engine, group: Group, cohorts: readonly Cohort[]) {
  try {
    await executeBatch(engine, group, cohorts)
    for (const cohort of cohorts) cohort.isFailing = false
  } catch (cause) {
    const reason = batchError(cause, group)
    if (CONNECTION_ERRORS.has(reason.code)) return deliverFailure(cohorts, reason)
    if (cohorts.length > 1) {
      for (const cohort of cohorts) await refreshBatch(engine, group, [cohort])
      return
    }
    const cohort = present(cohorts[0], 'the only cohort of a batch')
    await handleLoneFailure(engine, group, { cohort, reason })
  }
}

/** The error of a batch. Its details are hidden, because they may be about other subscribers' values. */
function batchError(cause: unknown, { statement }: Group): EngineError {
  const reason = translatePostgresError(cause, { path: '$', text: statement, values: [] })
  if (CONNECTION_ERRORS.has(reason.code) || reason.code === 'timeout') return reason
  return new EngineError('unexpected', 'database query error', { path: '$', cause })
}

/**
 * Handles a cohort whose statement failed for it alone. The cohort ends if the database cannot read its values, or a
 * function rejects its arguments at once; any other failure depends on the rows and may go away.
 */
async function handleLoneFailure(
  { pool }: Engine,
  group: Group,
  { cohort, reason }: { cohort: Cohort; reason: EngineError },
) {
  const isNew = cohort.lastResult === null
  cohort.isFailing = true
  try {
    if (isNew) await pool.query(group.check, [...cohort.values])
    if (isNew && group.givesArguments) endCohort(group, cohort, reason)
    else deliverFailure([cohort], reason)
  } catch (cause) {
    const valueError = translatePostgresError(cause, {
      path: '$',
      text: group.check,
      values: cohort.values,
    })
    if (CONNECTION_ERRORS.has(valueError.code)) deliverFailure([cohort], valueError)
    else endCohort(group, cohort, valueError)
  }
}

type LiveRow = { id: number; result: string; cursor: string | null }

async function executeBatch({ pool }: Engine, group: Group, cohorts: readonly Cohort[]) {
  const ids = cohorts.map((_cohort, i) => i)
  const values = cohorts.map((cohort) => JSON.stringify(cohort.values))
  const { rows } = await pool.query<LiveRow>(group.statement, [ids, values])
  for (const row of rows) deliverResult(present(cohorts[row.id], 'the cohort of a row'), row)
}

function deliverResult(cohort: Cohort, { result, cursor }: LiveRow) {
  if (cohort.cursor !== null) return advanceStream(cohort, result, cursor)
  if (result === cohort.lastResult) return
  cohort.lastResult = result
  for (const subscriber of cohort.subscribers) subscriber.next(result)
}

/** Handles the next rows of a stream: moves its cursor behind them and sends them; without rows, does nothing. */
function advanceStream(cohort: Cohort, result: string, cursor: string | null) {
  cohort.lastResult = ''
  if (cursor === null) return
  cohort.values = cohort.values.map((value, i) => (i === cohort.cursor ? cursor : value))
  for (const subscriber of cohort.subscribers) subscriber.next(result)
}

/** Errors of the connection to the database. They concern all subscriptions and end when the database is back. */
const CONNECTION_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'postgres-error',
  'postgres-max-connections-error',
])

/** Reports a failure. The next result is then sent even if it equals the last one. */
function deliverFailure(cohorts: readonly Cohort[], reason: EngineError) {
  for (const cohort of cohorts) {
    cohort.lastResult = ''
    for (const subscriber of cohort.subscribers) subscriber.failed(reason)
  }
}

function endCohort(group: Group, cohort: Cohort, cause: unknown) {
  group.cohorts.delete(cohort.key)
  for (const subscriber of cohort.subscribers) subscriber.reject(cause)
  cohort.subscribers.clear()
}
