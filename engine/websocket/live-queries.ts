import { translate } from '../database/postgres-errors.ts'
import type { Engine } from '../engine.ts'
import { EngineError, type ErrorCode } from '../errors.ts'
import type { DatabaseSubscription } from './plan-subscription.ts'

/** Receives the results of a subscription, until `signal` is aborted. */
export type Listener = {
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
  follow(subscription: DatabaseSubscription, listener: Listener): Promise<void>
  close(): void
}

/**
 * Polls for all subscriptions of the engine. Those with the same statement form a group: one execution answers a
 * batch of them. Those that also have the same values form a cohort, which shares one answer.
 */
export function liveQueries(engine: Engine): LiveQueries {
  const groups = new Map<string, Group>()
  let closed = false

  async function poll(group: Group) {
    while (group.cohorts.size > 0 && !closed) {
      const due = Date.now() + group.intervalMs
      await refresh(engine, group, [...group.cohorts.values()])
      await untilDue(group, due)
    }
    groups.delete(group.statement)
  }

  /** Waits for the next round, but answers newcomers meanwhile. */
  async function untilDue(group: Group, due: number) {
    for (let left = due - Date.now(); left > 0 && !closed; left = due - Date.now()) {
      await woken(group, left)
      const newcomers = [...group.cohorts.values()].filter((cohort) => cohort.last === null)
      if (newcomers.length > 0) await refresh(engine, group, newcomers)
      if (group.cohorts.size === 0) return
    }
  }

  function enter(subscription: DatabaseSubscription, follower: Follower) {
    const existing = groups.get(subscription.statement)
    if (existing) return join(existing, subscription, follower)
    const group = newGroup(subscription, engine)
    groups.set(subscription.statement, group)
    join(group, subscription, follower)
    void poll(group)
  }

  return {
    follow: (subscription, listener) =>
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
  followers: Set<Follower>
  /** The latest answer; null until there is one, empty when newcomers must not get it. */
  last: string | null
  /** Whether it has failed alone, so that it is no longer put into a batch with others. */
  fails: boolean
}

type Follower = Listener & { resolve(): void; reject(reason: unknown): void }

function newGroup(
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

let streams = 0

function join(group: Group, { values, cursor }: DatabaseSubscription, follower: Follower) {
  // Each stream is a cohort of its own, because its cursor moves independently.
  streams += 1
  const key = cursor === null ? JSON.stringify(values) : `stream ${streams}`
  const cohort = group.cohorts.get(key) ?? {
    key,
    values,
    cursor,
    followers: new Set<Follower>(),
    last: null,
    fails: false,
  }
  group.cohorts.set(key, cohort)
  cohort.followers.add(follower)
  follower.signal.addEventListener('abort', () => leave(group, cohort, follower), { once: true })
  if (cohort.last === null) group.wake()
  else if (cursor === null && cohort.last !== '') follower.next(cohort.last)
}

function leave(group: Group, cohort: Cohort, follower: Follower) {
  cohort.followers.delete(follower)
  if (cohort.followers.size === 0 && group.cohorts.get(cohort.key) === cohort) {
    group.cohorts.delete(cohort.key)
  }
  follower.resolve()
}

function woken(group: Group, atMostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, atMostMs)
    group.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function refresh(engine: Engine, group: Group, cohorts: readonly Cohort[]) {
  const sound = cohorts.filter(({ fails }) => !fails)
  for (let i = 0; i < sound.length; i += group.batchSize)
    await refreshBatch(engine, group, sound.slice(i, i + group.batchSize))
  for (const cohort of cohorts) if (cohort.fails) await refreshBatch(engine, group, [cohort])
}

/**
 * Refreshes a batch. One bad value fails the statement
 * for all of it, so after a failure each is tried alone.
 */
async function refreshBatch(engine: Engine, group: Group, cohorts: readonly Cohort[]) {
  try {
    await execute(engine, group, cohorts)
    for (const cohort of cohorts) cohort.fails = false
  } catch (cause) {
    const reason = failure(cause, group)
    if (AWAY.has(reason.code)) return tellFailure(cohorts, reason)
    const [cohort, second] = cohorts
    if (second) for (const one of cohorts) await refreshBatch(engine, group, [one])
    else if (cohort) await failAlone(engine, group, { cohort, reason })
  }
}

/** The error of a statement for many subscriptions: it tells none of them more than that it failed. */
function failure(cause: unknown, { statement }: Group): EngineError {
  const reason = translate(cause, { path: '$', text: statement, values: [] })
  if (AWAY.has(reason.code) || reason.code === 'timeout') return reason
  return new EngineError('unexpected', 'database query error', { path: '$', cause })
}

/**
 * Handles a cohort that has failed alone. It is ended by values that cannot be read, and by arguments that a
 * function refuses at once; other failures depend on the rows, so they may pass.
 */
async function failAlone(
  { pool }: Engine,
  group: Group,
  { cohort, reason }: { cohort: Cohort; reason: EngineError },
) {
  const isNew = cohort.last === null
  cohort.fails = true
  try {
    if (isNew) await pool.query(group.check, [...cohort.values])
    if (isNew && group.givesArguments) giveUp(group, cohort, reason)
    else tellFailure([cohort], reason)
  } catch (cause) {
    const refusal = translate(cause, { path: '$', text: group.check, values: cohort.values })
    if (AWAY.has(refusal.code)) tellFailure([cohort], refusal)
    else giveUp(group, cohort, refusal)
  }
}

type Row = { id: number; result: string; cursor: string | null }

async function execute({ pool }: Engine, group: Group, cohorts: readonly Cohort[]) {
  const ids = cohorts.map((_cohort, i) => i)
  const values = cohorts.map((cohort) => JSON.stringify(cohort.values))
  const { rows } = await pool.query<Row>(group.statement, [ids, values])
  for (const row of rows) {
    const cohort = cohorts[row.id]
    if (cohort) tell(cohort, row)
  }
}

function tell(cohort: Cohort, { result, cursor }: Row) {
  if (cohort.cursor !== null) return advance(cohort, result, cursor)
  if (result === cohort.last) return
  cohort.last = result
  for (const follower of cohort.followers) follower.next(result)
}

/** Handles a batch of a stream: moves the cursor behind it, and sends it unless it is empty. */
function advance(cohort: Cohort, result: string, cursor: string | null) {
  cohort.last = ''
  if (cursor === null) return
  cohort.values = cohort.values.map((value, i) => (i === cohort.cursor ? cursor : value))
  for (const follower of cohort.followers) follower.next(result)
}

/** Errors of the connection to the database, which concern all subscriptions and pass. */
const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'postgres-error',
  'postgres-max-connections-error',
])

/** Reports a failure, each time; the next answer is then sent even if it equals the last one. */
function tellFailure(cohorts: readonly Cohort[], reason: EngineError) {
  for (const cohort of cohorts) {
    cohort.last = ''
    for (const follower of cohort.followers) follower.failed(reason)
  }
}

function giveUp(group: Group, cohort: Cohort, cause: unknown) {
  group.cohorts.delete(cohort.key)
  for (const follower of cohort.followers) follower.reject(cause)
  cohort.followers.clear()
}
