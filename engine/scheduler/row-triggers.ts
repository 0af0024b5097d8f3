import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { EventTrigger, Observed, RowOperation } from '../model/model.ts'

/**
 * Makes the database write an event for each change that an event trigger observes, with one function and one
 * row trigger per operation. They are replaced only if their text has changed, and removed with the trigger.
 *
 * @param names names of all event triggers, including inconsistent ones; events of other triggers are closed
 */
export async function installRowTriggers(
  pool: Pool,
  triggers: readonly EventTrigger[],
  names: ReadonlySet<string>,
) {
  const wanted = new Map(triggers.flatMap(rowTriggerDefinitions).map((one) => [one.name, one]))
  const present = await pool.query<InstalledRowTrigger>(INSTALLED_ROW_TRIGGERS)
  const stale = present.rows.filter(({ name, digest }) => wanted.get(name)?.digest !== digest)
  const kept = new Set(present.rows.filter((row) => !stale.includes(row)).map(({ name }) => name))
  const missing = [...wanted.values()].filter(({ name }) => !kept.has(name))
  if (stale.length === 0 && missing.length === 0) return
  await runExclusively(pool, async (client) => {
    for (const { name } of stale) {
      await client.query(`drop function if exists hdb_catalog.${quoteIdentifier(name)} cascade`)
      const trigger = eventTriggerName(name)
      if (!names.has(trigger)) await client.query(ARCHIVE_EVENTS, [trigger])
    }
    for (const { text } of missing) await client.query(text)
  })
}

type RowTriggerDefinition = { name: string; digest: string; text: string }
type InstalledRowTrigger = { name: string; digest: string | null }

const ARCHIVE_EVENTS = 'update hdb_catalog.event_log set archived = true where trigger_name = $1'

/** The name of the event trigger to which a function belongs. */
function eventTriggerName(name: string): string {
  return name.slice('notify_hasura_'.length, name.lastIndexOf('_'))
}

/** A function whose row trigger is gone, for example with its table, counts as outdated. */
const INSTALLED_ROW_TRIGGERS = `
select function.proname as name,
  case when exists (select from pg_trigger where tgfoid = function.oid)
    then obj_description(function.oid, 'pg_proc')
  end as digest
from pg_proc function
join pg_namespace on pg_namespace.oid = function.pronamespace
where nspname = 'hdb_catalog' and proname like 'notify\\_hasura\\_%'`

function rowTriggerDefinitions(trigger: EventTrigger): RowTriggerDefinition[] {
  return [...trigger.operations].map(([operation, columns]) => {
    const name = `notify_hasura_${trigger.name}_${operation}`
    const text = rowTriggerSql(name, operation, trigger, columns)
    const digest = sha256Hex(text)
    const comment = `comment on function hdb_catalog.${quoteIdentifier(name)}() is ${quoteLiteral(digest)};`
    return { name, digest, text: `${text}\n${comment}` }
  })
}

/**
 * The SQL that creates a function and its trigger.
 * A function's body takes no parameters, so all names are quoted.
 */
function rowTriggerSql(
  name: string,
  operation: RowOperation,
  { name: trigger, table, onReplication, texts }: EventTrigger,
  { watched, payload }: Observed,
): string {
  // `*` is evaluated when the trigger runs, since the table may have changed by then.
  const row = (alias: 'old' | 'new') =>
    withStringValues(
      payload === '*'
        ? `row_to_json(${alias})`
        : `json_build_object(${objectArguments(alias, payload)})`,
      texts,
    )
  const before = operation === 'INSERT' ? 'null::json' : row('old')
  const after = operation === 'DELETE' ? 'null::json' : row('new')
  const values = (alias: 'old' | 'new') =>
    watched === '*'
      ? `${alias}.*`
      : watched.map((column) => `${alias}.${quoteIdentifier(column)}`).join(', ')
  const on = `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`
  const enable = onReplication
    ? `alter table ${on} enable always trigger ${quoteIdentifier(name)};`
    : ''
  // No name can contain its own digest, so none can end the dollar-quoted body.
  const tag = `$_${sha256Hex([trigger, table.schema, table.name, ...watched, ...payload].join('\n'))}$`
  // Compared as text, because some types, such as json, have no equality.
  const same =
    operation === 'UPDATE'
      ? `row(${values('old')})::text is not distinct from row(${values('new')})::text`
      : 'false'
  return `
create or replace function hdb_catalog.${quoteIdentifier(name)}() returns trigger language plpgsql as ${tag}
begin
  if ${same} then
    return null;
  end if;
  insert into hdb_catalog.event_log (created_at, schema_name, table_name, trigger_name, payload)
  values (now() at time zone 'utc', ${quoteLiteral(table.schema)}, ${quoteLiteral(table.name)}, ${quoteLiteral(trigger)}, jsonb_build_object(
    'op', tg_op,
    'data', json_build_object('old', ${before}, 'new', ${after}),
    'session_variables', nullif(current_setting('hasura.user', true), '')::json,
    'trace_context', ${TRACE_CONTEXT}
  ));
  return null;
end ${tag};
drop trigger if exists ${quoteIdentifier(name)} on ${on};
create trigger ${quoteIdentifier(name)} after ${operation} on ${on}
  for each row execute function hdb_catalog.${quoteIdentifier(name)}();
${enable}`
}

/**
 * The trace of the request that makes the change: the one that it names, else a new one, for all events of
 * the transaction. Null for a change that is not made through the engine.
 */
const TRACE_CONTEXT = `coalesce(
      nullif(current_setting('hasura.tracecontext', true), ''),
      case when current_setting('hasura.user', true) <> '' then
        set_config('hasura.tracecontext', json_build_object(
          'trace_id', encode(uuid_send(gen_random_uuid()), 'hex'),
          'span_id', left(md5(gen_random_uuid()::text), 16)
        )::text, true)
      end
    )::json`

/** The same object with the values of these keys as strings, if it has them when the trigger runs. */
function withStringValues(object: string, keys: readonly string[]): string {
  if (keys.length === 0) return object
  return `${object}::jsonb || (
    select coalesce(jsonb_object_agg(key, value), '{}') from json_each_text(${object})
    where value is not null and key in (${keys.map(quoteLiteral).join(', ')})
  )`
}

function objectArguments(alias: 'old' | 'new', columns: readonly string[]): string {
  return columns
    .map((column) => `${quoteLiteral(column)}, ${alias}.${quoteIdentifier(column)}`)
    .join(', ')
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Runs `work` in a transaction, one engine at a time: several may see new metadata at the same moment. */
async function runExclusively(pool: Pool, work: (client: PoolClient) => Promise<void>) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('hdb_catalog.row_triggers'))`)
    await work(client)
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw cause
  } finally {
    client.release()
  }
}
