import { expect } from 'vitest'
import { type Database, database } from '../../database.ts'
import { metadata, replace } from '../metadata.ts'
import { type Receiver, type Replied, receiver } from '../receiver.ts'
import { type RunningEngine, startEngine } from '../start-engine.ts'

/** A database, and whoever is told of events; engines come as a test asks for them. */
export type Scheduling = {
  db: Database
  hook: Receiver
  /** What the hook answers to its nth request. */
  reply(nth: number): Replied
  /** Starts one more engine. */
  engine(): Promise<RunningEngine>
  /** Polls the database until it says so. */
  until(sql: string): ReturnType<typeof expect.poll>
  stop(): Promise<void>
}

/** Starts both; no test sees the events of another. */
export async function startScheduling(): Promise<Scheduling> {
  const db = await database()
  const hook = await receiver((_request, nth) => scheduling.reply(nth))
  const engines: RunningEngine[] = []
  const scheduling: Scheduling = {
    db,
    hook,
    reply: () => ({ status: 200 }),
    async engine() {
      const started = await startEngine(db.url, {
        ENGINE_CRON_DELIVER_INTERVAL_MS: '50',
        HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
        HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
        HOOK: hook.url,
        SECRET: 'from the environment',
        // Where midnight is not UTC's, nor a whole hour from it.
        TZ: 'Australia/Lord_Howe',
      })
      engines.push(started)
      return started
    },
    until: (sql) => expect.poll(async () => (await db.query(sql)).rows),
    async stop() {
      await Promise.all(engines.map((engine) => engine.stop()))
      await hook.close()
      await db.drop()
    },
  }
  return scheduling
}

/** A trigger that is not due by itself. */
export const CRON = {
  name: 'nightly',
  webhook: '{{HOOK}}/nightly',
  schedule: '0 3 * * *',
  payload: { a: 1 },
  comment: 'why',
  headers: [{ name: 'secret', value_from_env: 'SECRET' }],
}

/** The metadata of that trigger. */
export function withCron(retry_conf: object = {}) {
  return replace(metadata([], { cron_triggers: [{ ...CRON, retry_conf }] }))
}

/** Makes an event of it due. */
export const DUE = `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
  values ('nightly', date_trunc('second', now()) - interval '1 minute')`

/** What became of those that were. */
export const STATUS = `select status, tries from hdb_catalog.hdb_cron_events where scheduled_time < now()`
