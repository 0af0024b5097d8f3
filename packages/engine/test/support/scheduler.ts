import { expect } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { type Receiver, type ReceiverReply, startReceiver } from './receiver.ts'
import { serveEngineHere } from './serve-here.ts'
import { type RunningEngine, type ServedEngine, startEngine } from './start-engine.ts'

/** A database and a webhook for events; tests start the engines that they need. */
export type Scheduling = {
  db: Database
  hook: Receiver
  /** Replies to the webhook's nth request. */
  reply(nth: number): ReceiverReply
  /** Serves another engine with these additional settings. */
  engine(environment?: Record<string, string>): Promise<ServedEngine>
  /** Starts another engine as a process that can be killed. */
  startEngineProcess(): Promise<RunningEngine>
  /** Polls the rows of this statement, for `await pollRows(sql).toEqual(…)`. */
  pollRows(sql: string): ReturnType<typeof expect.poll>
  stop(): Promise<void>
}

/** Creates a new database and a webhook. */
export async function startScheduling(): Promise<Scheduling> {
  const db = await database()
  const hook = await startReceiver((_request, nth) => scheduling.reply(nth))
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
      const newEngine = await serveEngineHere(db.url, { ...settings, ...environment })
      engines.push(newEngine)
      return newEngine
    },
    async startEngineProcess() {
      const newEngine = await startEngine(db.url, settings)
      engines.push(newEngine)
      return newEngine
    },
    pollRows: (sql) => expect.poll(async () => (await db.query(sql)).rows),
    async stop() {
      await Promise.all(engines.map((engine) => engine.stop()))
      await hook.close()
      await db.drop()
    },
  }
  return scheduling
}

/** A cron trigger that is due once a day, at 03:00 UTC. */
export const CRON = {
  name: 'nightly',
  webhook: '{{HOOK}}/nightly',
  schedule: '0 3 * * *',
  payload: { a: 1 },
  comment: 'why',
  headers: [{ name: 'secret', value_from_env: 'SECRET' }],
}

/** The command that sets metadata with the cron trigger. */
export function withCron(retry_conf: object = {}) {
  return replace(metadata([], { cron_triggers: [{ ...CRON, retry_conf }] }))
}

/** The statement that adds a due event of the cron trigger. */
export const ADD_DUE_EVENT = `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
  values ('nightly', date_trunc('second', now()) - interval '1 minute')`

/** The statement that reads the status and the tries of all due cron events. */
export const SELECT_STATUS = `select status, tries from hdb_catalog.hdb_cron_events where scheduled_time < now()`

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

/** The command that sets metadata with the table `note` and this event trigger. */
export function withTrigger(trigger: object) {
  return replace(metadata([table('note', { event_triggers: [trigger] })]))
}

/** Creates the table `note` and the event trigger, on this engine or a new one. */
export async function watchNotes(
  scheduling: Scheduling,
  trigger: object = NOTE_CHANGED,
  engine?: ServedEngine,
): Promise<ServedEngine> {
  const servedEngine = engine ?? (await scheduling.engine())
  await servedEngine.post('/v2/query', runSql(NOTE))
  await servedEngine.post('/v1/metadata', withTrigger(trigger))
  return servedEngine
}

const NOTE = 'create table note (id int primary key, text text, other text)'

/** Runs a command of the metadata API and returns the response's body. */
export async function runMetadataCommand(servedEngine: ServedEngine, type: string, args: object) {
  return (await servedEngine.post('/v1/metadata', { type, args })).body
}
