import { expect } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { type Receiver, type Replied, receiver } from './receiver.ts'
import { serveEngineHere } from './serve-here.ts'
import { type RunningEngine, type ServedEngine, startEngine } from './start-engine.ts'

/** A database, and a webhook that receives events; tests start the engines that they need. */
export type Scheduling = {
  db: Database
  hook: Receiver
  /** What the hook answers to its nth request. */
  reply(nth: number): Replied
  /** Serves one more engine, with these additional settings. */
  engine(environment?: Record<string, string>): Promise<ServedEngine>
  /** Starts one more engine that can be killed. */
  engineToKill(): Promise<RunningEngine>
  /** Polls the result of this statement, for `await until(sql).toEqual(…)`. */
  until(sql: string): ReturnType<typeof expect.poll>
  stop(): Promise<void>
}

/** Starts both. Each test begins without events of others. */
export async function startScheduling(): Promise<Scheduling> {
  const db = await database()
  const hook = await receiver((_request, nth) => scheduling.reply(nth))
  const engines: ServedEngine[] = []
  const settings = {
    ENGINE_CRON_DELIVER_INTERVAL_MS: '50',
    HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
    HOOK: hook.url,
    SECRET: 'from the environment',
  }
  const scheduling: Scheduling = {
    db,
    hook,
    reply: () => ({ status: 200 }),
    async engine(environment = {}) {
      const served = await serveEngineHere(db.url, { ...settings, ...environment })
      engines.push(served)
      return served
    },
    async engineToKill() {
      const started = await startEngine(db.url, settings)
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

/** The status of events that were due. */
export const STATUS = `select status, tries from hdb_catalog.hdb_cron_events where scheduled_time < now()`

/** An event trigger of the table `note`. */
export const NOTE_CHANGED = {
  name: 'note_changed',
  definition: {
    enable_manual: true,
    insert: { columns: '*' },
    update: { columns: ['text'], payload: ['id', 'text'] },
    delete: { columns: '*', payload: ['id'] },
  },
  webhook: '{{HOOK}}/notes',
  retry_conf: { num_retries: 1, interval_sec: 0, timeout_sec: 60 },
}

/** The metadata of that table, with that trigger or another one. */
export function withTrigger(trigger: object) {
  return replace(metadata([table('note', { event_triggers: [trigger] })]))
}

/** Creates the table and the trigger, on the given engine or on a new one. */
export async function watching(
  on: Scheduling,
  trigger: object = NOTE_CHANGED,
  engine?: ServedEngine,
): Promise<ServedEngine> {
  const one = engine ?? (await on.engine())
  await one.post('/v2/query', runSql(NOTE))
  await one.post('/v1/metadata', withTrigger(trigger))
  return one
}

const NOTE = 'create table note (id int primary key, text text, other text)'

/** Runs a command of the metadata API, and returns the body of its answer. */
export async function command(one: ServedEngine, type: string, args: object) {
  return (await one.post('/v1/metadata', { type, args })).body
}
