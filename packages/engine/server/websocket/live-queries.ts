import { allAborted } from '../../../../lib/runtime/limits/abort-signals.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { EngineError, type ErrorCode } from '../../errors.ts'
import { queryRows } from '../../runtime/database/execute.ts'
import { translatePostgresError } from '../../runtime/database/postgres-errors.ts'
import type { Connections } from '../../runtime/database/source-connections.ts'
import type { Engine } from '../../runtime/engine.ts'
import {
  type Cohort,
  deliverFailure,
  deliverResult,
  joinCohort,
  type LiveRow,
  type ResultListener,
  type Subscriber,
} from './cohort.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** All running subscriptions of an engine. */
export type LiveQueries = {
  /**
   * Passes the first result to the listener, and then every changed result, until the listener's signal is aborted.
   *
   * @throws query-too-costly; the database's error if it cannot read the subscription's values; an error without details if the
   *   first execution fails, and passes arguments to a function
   */
  subscribe(subscription: DatabaseSubscription, listener: ResultListener): Promise<void>
  close(): void
}

/**
 * Polls the database for all subscriptions to rows. Subscriptions with the same statement form a group: one execution
 * answers a batch of them. Subscriptions that also have the same values form a cohort, which shares one result.
 *
 * A batch waits for admission like a request of its heaviest caller. The engine cancels a batch that has no subscribers left.
 */
export function startLiveQueries(engine: Engine): LiveQueries {
  const groups = new Map<string, Group>()
  let isClosed = false

  async function poll(group: Group) {
    while (group.cohorts.size > 0 && !isClosed) {
      const startedAt = performance.now()
      await refreshCohorts(engine, group, [...group.cohorts.values()])
      await waitAndServeNew(group, nextRound(group, startedAt, performance.now()))
    }
    groups.delete(group.key)
  }

  /** Waits until the next round is due. New subscribers get their first result during the wait. */
  async function waitAndServeNew(group: Group, dueAt: number) {
    for (
      let remainingMs = timeUntil(dueAt);
      remainingMs > 0 && !isClosed;
      remainingMs = timeUntil(dueAt)
    ) {
      await waitUntilWoken(group, remainingMs)
      const cohorts = [...group.cohorts.values()].filter(hasNewSubscriber)
      if (cohorts.length > 0) await refreshCohorts(engine, group, cohorts)
      if (group.cohorts.size === 0) return
    }
  }

  function joinGroup(subscription: DatabaseSubscription, subscriber: Subscriber) {
    const key = groupKey(subscription, subscriber)
    const existingGroup = groups.get(key)
    const group = existingGroup ?? createGroup(engine, subscription, subscriber)
    joinCohort(group.cohorts, subscription, subscriber)
    if (existingGroup) return group.wake()
    groups.set(key, group)
    void poll(group)
  }

  return {
    subscribe: (subscription, listener) =>
      new Promise((resolve, reject) => {
        if (listener.signal.aborted || isClosed) return resolve()
        joinGroup(subscription, { ...listener, isNew: true, resolve, reject })
      }),
    close: () => {
      isClosed = true
      for (const group of groups.values()) group.wake()
    },
  }
}

/** Subscriptions with the same statement on the same connections. */
type Group = {
  key: string
  statement: string
  /** A statement that reads the values of a single subscription. */
  check: string
  givesArguments: boolean
  connections: Connections
  intervalMs: number
  batchSize: number
  cohorts: Map<string, Cohort>
  wake(): void
}

/** Returns the key of a subscription's group. Subscriptions with and without a caller's limits are in different groups. */
function groupKey(
  { statement, source, connections }: DatabaseSubscription,
  { caller }: Subscriber,
): string {
  return `${source} ${connections.url} ${caller === null ? '' : 'caller '}${statement}`
}

function createGroup(
  { config }: Engine,
  subscription: DatabaseSubscription,
  subscriber: Subscriber,
): Group {
  const { statement, check, givesArguments, cursor, connections } = subscription
  const isStream = cursor !== null
  return {
    key: groupKey(subscription, subscriber),
    statement,
    check,
    givesArguments,
    connections,
    intervalMs: isStream ? config.streamsRefetchMs : config.liveQueriesRefetchMs,
    batchSize: Math.max(1, isStream ? config.streamsBatchSize : config.liveQueriesBatchSize),
    cohorts: new Map(),
    wake: () => {},
  }
}

/** Uses the monotonic clock, so that a correction of the system clock delays no round. */
function timeUntil(dueAt: number): number {
  return dueAt - performance.now()
}

/** Returns the time of the next round. After a slow round, waits for as long as the round took. */
function nextRound({ intervalMs }: Group, startedAt: number, endedAt: number): number {
  return Math.max(startedAt + intervalMs, endedAt + (endedAt - startedAt))
}

function hasNewSubscriber({ subscribers }: Cohort): boolean {
  return [...subscribers].some(({ isNew }) => isNew)
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
  const healthyCohorts = cohorts.filter(({ isFailing }) => !isFailing)
  for (let i = 0; i < healthyCohorts.length; i += group.batchSize)
    await refreshBatch(engine, group, healthyCohorts.slice(i, i + group.batchSize))
  for (const cohort of cohorts) if (cohort.isFailing) await refreshBatch(engine, group, [cohort])
}

/**
 * Refreshes the cohorts of a batch that still have subscribers. One invalid value fails the statement for all cohorts, so after a
 * failure each cohort is tried alone.
 */
async function refreshBatch(engine: Engine, group: Group, batch: readonly Cohort[]) {
  const cohorts = batch.filter(({ subscribers }) => subscribers.size > 0)
  const [first, second] = cohorts
  if (!first) return
  const reason = await executeInTurn(engine, group, cohorts)
  if (reason === null) return
  if (CONNECTION_ERRORS.has(reason.code)) deliverFailure(cohorts, reason)
  else if (second) for (const cohort of cohorts) await refreshBatch(engine, group, [cohort])
  else await handleLoneFailure(group, first, reason)
}

/** Executes a batch once it is admitted, if it still has subscribers. Returns its error, or null. */
async function executeInTurn(
  engine: Engine,
  group: Group,
  cohorts: readonly Cohort[],
): Promise<EngineError | null> {
  const callers = new Set(cohorts.flatMap((cohort) => [...cohort.subscribers].map((s) => s.caller)))
  const { signal, release } = allAborted(cohorts.map(({ controller }) => controller.signal))
  const leave = await engine.admission.enterShared(callers, signal).catch(() => null)
  if (!leave) {
    release()
    return null
  }
  try {
    if (cohorts.every(({ subscribers }) => subscribers.size === 0)) return null
    await executeBatch(group, cohorts, signal)
    return null
  } catch (cause) {
    return batchError(cause, group)
  } finally {
    leave()
    release()
  }
}

async function executeBatch(
  { statement, connections }: Group,
  cohorts: readonly Cohort[],
  signal: AbortSignal,
) {
  const ids = cohorts.map((_cohort, i) => i)
  const values = cohorts.map((cohort) => JSON.stringify(cohort.values))
  const query = { text: statement, values: [ids, values] }
  for (const row of await queryRows<LiveRow>(connections.pool, query, signal))
    deliverResult(requireValue(cohorts[row.id], 'the cohort of a row'), row)
}

/** Returns the error of a batch, without details that may contain other subscribers' values. */
function batchError(cause: unknown, { statement }: Group): EngineError {
  const reason = translatePostgresError(cause, { path: '$', text: statement, values: [] })
  if (CONNECTION_ERRORS.has(reason.code) || TOO_MUCH.has(reason.code)) return reason
  return new EngineError('unexpected', 'database query error', { path: '$', cause })
}

/**
 * Handles the failure of a cohort's statement outside a batch. Ends the cohort if its result is too costly. After a failed
 * first execution, also ends the cohort if the database cannot read the values, or if the statement passes arguments to a
 * function. The function may have rejected them. Any other failure may be temporary, because it depends on the rows.
 */
async function handleLoneFailure(group: Group, cohort: Cohort, reason: EngineError) {
  if (reason.code === 'query-too-costly') return endCohort(group, cohort, reason)
  const isNew = !cohort.hasResult && !cohort.isFailing
  cohort.isFailing = true
  const { check, givesArguments, connections } = group
  try {
    if (isNew) await connections.pool.query(check, [...cohort.values])
    if (isNew && givesArguments) endCohort(group, cohort, reason)
    else deliverFailure([cohort], reason)
  } catch (cause) {
    const valueError = translatePostgresError(cause, {
      path: '$',
      text: check,
      values: cohort.values,
    })
    if (CONNECTION_ERRORS.has(valueError.code)) deliverFailure([cohort], valueError)
    else endCohort(group, cohort, valueError)
  }
}

/** Errors about the cost of a statement. Their messages contain no values of subscribers. */
const TOO_MUCH: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['timeout', 'query-too-costly'])

/** Errors of the connection to the database. They affect all subscriptions, and end when the database is reachable again. */
const CONNECTION_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'postgres-error',
  'postgres-max-connections-error',
])

function endCohort(group: Group, cohort: Cohort, cause: unknown) {
  group.cohorts.delete(cohort.key)
  for (const subscriber of cohort.subscribers) subscriber.reject(cause)
  cohort.subscribers.clear()
}
