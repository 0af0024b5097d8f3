import { translate } from '../database/postgres-errors.ts'
import type { Engine } from '../engine.ts'
import { EngineError, type ErrorCode } from '../errors.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** Receives the results of a subscription, until `signal` is aborted. */
export type ResultListener = {
  signal: AbortSignal
  /** `body` is the JSON text `{"data":…}`. */
  next(body: string): void
  /** The statement has failed for now; further results follow when it works again. */
  failed(reason: EngineError): void
}

/** All subscriptions of an engine. */
export type LiveQueries = {
  /**
   * Passes the first result to the listener, and every later one that differs from the one before, until the
   * listener's signal is aborted.
   *
   * @throws the database's error when it cannot read the subscription's values, or a function refuses them
   */
  subscribe(subscription: DatabaseSubscription, listener: ResultListener): Promise<void>
  close(): void
}

/**
 * Polls for all subscriptions of the engine. Those with the same statement form a group: one execution answers a
 * batch of them. Those that also have the same values form a cohort, which shares one answer.
 */
export function startLiveQueries(engine: Engine): LiveQueries {
  const groups = new Map<string, Group>()
  let closed = false

  async function poll(group: Group) {
    while (group.cohorts.size > 0 && !closed) {
      const due = Date.now() + group.intervalMs
      await refreshCohorts(engine, group, [...group.cohorts.values()])
      await untilDue(group, due)
    }
    groups.delete(group.statement)
  }

  /** Waits for the next round, but answers newcomers meanwhile. */
  async function untilDue(group: Group, due: number) {
    for (let left = due - Date.now(); left > 0 && !closed; left = due - Date.now()) {
      await waitUntilWoken(group, left)
      const newcomers = [...group.cohorts.values()].filter((cohort) => cohort.lastResult === null)
      if (newcomers.length > 0) await refreshCohorts(engine, group, newcomers)
      if (group.cohorts.size === 0) return
    }
  }

  function enter(subscription: DatabaseSubscription, follower: Subscriber) {
    const existing = groups.get(subscription.statement)
    if (existing) return joinCohort(existing, subscription, follower)
    const group = createGroup(subscription, engine)
    groups.set(subscription.statement, group)
    joinCohort(group, subscription, follower)
    void poll(group)
  }

  return {
    subscribe: (subscription, listener) =>
      new Promise((resolve, reject) => {
        if (listener.signal.aborted || closed) return resolve()
        enter(subscription, { ...listener, resolve, reject })
      }),
    close: () => {
      closed = true
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

/** Subscriptions with the same statement and values, which therefore have the same answer. */
type Cohort = {
  key: string
  values: readonly (string | null)[]
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
  subscribers: Set<Subscriber>
  /** The latest answer; null until there is one, empty when newcomers must not get it. */
  lastResult: string | null
  /** Whether it has failed alone, so that it is no longer put into a batch with others. */
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

function joinCohort(group: Group, { values, cursor }: DatabaseSubscription, follower: Subscriber) {
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
  cohort.subscribers.add(follower)
  follower.signal.addEventListener('abort', () => leaveCohort(group, cohort, follower), {
    once: true,
  })
  if (cohort.lastResult === null) group.wake()
  else if (cursor === null && cohort.lastResult !== '') follower.next(cohort.lastResult)
}

function leaveCohort(group: Group, cohort: Cohort, follower: Subscriber) {
  cohort.subscribers.delete(follower)
  if (cohort.subscribers.size === 0 && group.cohorts.get(cohort.key) === cohort) {
    group.cohorts.delete(cohort.key)
  }
  follower.resolve()
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
  const sound = cohorts.filter(({ isFailing }) => !isFailing)
  for (let i = 0; i < sound.length; i += group.batchSize)
    await refreshBatch(engine, group, sound.slice(i, i + group.batchSize))
  for (const cohort of cohorts) if (cohort.isFailing) await refreshBatch(engine, group, [cohort])
}

/**
 * Refreshes a batch. One bad value fails the statement
 * for all of it, so after a failure each is tried alone.
 */
async function refreshBatch(engine: Engine, group: Group, cohorts: readonly Cohort[]) {
  try {
    await executeBatch(engine, group, cohorts)
    for (const cohort of cohorts) cohort.isFailing = false
  } catch (cause) {
    const reason = batchError(cause, group)
    if (CONNECTION_ERRORS.has(reason.code)) return deliverFailure(cohorts, reason)
    const [cohort, second] = cohorts
    if (second) for (const one of cohorts) await refreshBatch(engine, group, [one])
    else if (cohort) await handleLoneFailure(engine, group, { cohort, reason })
  }
}

/** The error of a statement for many subscriptions: it tells none of them more than that it failed. */
function batchError(cause: unknown, { statement }: Group): EngineError {
  const reason = translate(cause, { path: '$', text: statement, values: [] })
  if (CONNECTION_ERRORS.has(reason.code) || reason.code === 'timeout') return reason
  return new EngineError('unexpected', 'database query error', { path: '$', cause })
}

/**
 * Handles a cohort that has failed alone. It is ended by values that cannot be read, and by arguments that a
 * function refuses at once; other failures depend on the rows, so they may pass.
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
    const refusal = translate(cause, { path: '$', text: group.check, values: cohort.values })
    if (CONNECTION_ERRORS.has(refusal.code)) deliverFailure([cohort], refusal)
    else endCohort(group, cohort, refusal)
  }
}

type LiveRow = { id: number; result: string; cursor: string | null }

async function executeBatch({ pool }: Engine, group: Group, cohorts: readonly Cohort[]) {
  const ids = cohorts.map((_cohort, i) => i)
  const values = cohorts.map((cohort) => JSON.stringify(cohort.values))
  const { rows } = await pool.query<LiveRow>(group.statement, [ids, values])
  for (const row of rows) {
    const cohort = cohorts[row.id]
    if (cohort) deliverResult(cohort, row)
  }
}

function deliverResult(cohort: Cohort, { result, cursor }: LiveRow) {
  if (cohort.cursor !== null) return advanceStream(cohort, result, cursor)
  if (result === cohort.lastResult) return
  cohort.lastResult = result
  for (const follower of cohort.subscribers) follower.next(result)
}

/** Handles a batch of a stream: moves the cursor behind it, and sends it unless it is empty. */
function advanceStream(cohort: Cohort, result: string, cursor: string | null) {
  cohort.lastResult = ''
  if (cursor === null) return
  cohort.values = cohort.values.map((value, i) => (i === cohort.cursor ? cursor : value))
  for (const follower of cohort.subscribers) follower.next(result)
}

/** Errors of the connection to the database, which concern all subscriptions and pass. */
const CONNECTION_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'postgres-error',
  'postgres-max-connections-error',
])

/** Reports a failure, each time; the next answer is then sent even if it equals the last one. */
function deliverFailure(cohorts: readonly Cohort[], reason: EngineError) {
  for (const cohort of cohorts) {
    cohort.lastResult = ''
    for (const follower of cohort.subscribers) follower.failed(reason)
  }
}

function endCohort(group: Group, cohort: Cohort, cause: unknown) {
  group.cohorts.delete(cohort.key)
  for (const follower of cohort.subscribers) follower.reject(cause)
  cohort.subscribers.clear()
}
