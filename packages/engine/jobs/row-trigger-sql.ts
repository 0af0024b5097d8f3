import { createHash } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { EventTrigger, ObservedColumns, RowOperation } from '../compiler/model/triggers.ts'

/** A database function with its row trigger, and the digest of its SQL, which reveals changes. */
export type RowTriggerDefinition = { name: string; digest: string; text: string }

/** Returns the functions and row triggers that write the events of an event trigger: one of each for every operation. */
export function rowTriggerDefinitions(trigger: EventTrigger): RowTriggerDefinition[] {
  return [...trigger.operations].map(([operation, columns]) => {
    const name = `notify_hasura_${trigger.name}_${operation}`
    const text = rowTriggerSql(name, operation, trigger, columns)
    const digest = sha256Hex(text)
    const comment = `comment on function hdb_catalog.${escapeIdentifier(name)}() is ${escapeLiteral(digest)};`
    return { name, digest, text: `${text}\n${comment}` }
  })
}

/** Returns the SQL that creates a function and its trigger. This SQL cannot have parameters, so names are escaped. */
function rowTriggerSql(
  name: string,
  operation: RowOperation,
  { name: trigger, table, onReplication, columnsAsText: texts }: EventTrigger,
  { watched, payload }: ObservedColumns,
): string {
  const before = operation === 'INSERT' ? 'null::json' : rowAsJson('old', payload, texts)
  const after = operation === 'DELETE' ? 'null::json' : rowAsJson('new', payload, texts)
  const qualifiedTable = `${escapeIdentifier(table.schema)}.${escapeIdentifier(table.name)}`
  const enable = onReplication
    ? `alter table ${qualifiedTable} enable always trigger ${escapeIdentifier(name)};`
    : ''
  // No name can contain its own digest, so no name can end the dollar-quoted body.
  const tag = `$_${sha256Hex([trigger, table.schema, table.name, ...watched, ...payload].join('\n'))}$`
  const unchangedTest = operation === 'UPDATE' ? unchangedCondition(watched) : 'false'
  return `
create or replace function hdb_catalog.${escapeIdentifier(name)}() returns trigger language plpgsql as ${tag}
begin
  if ${unchangedTest} then
    return null;
  end if;
  insert into hdb_catalog.event_log (created_at, schema_name, table_name, trigger_name, payload)
  values (now() at time zone 'utc', ${escapeLiteral(table.schema)}, ${escapeLiteral(table.name)}, ${escapeLiteral(trigger)}, jsonb_build_object(
    'op', tg_op,
    'data', json_build_object('old', ${before}, 'new', ${after}),
    'session_variables', nullif(current_setting('hasura.user', true), '')::json,
    'trace_context', ${TRACE_CONTEXT}
  ));
  return null;
end ${tag};
drop trigger if exists ${escapeIdentifier(name)} on ${qualifiedTable};
create trigger ${escapeIdentifier(name)} after ${operation} on ${qualifiedTable}
  for each row execute function hdb_catalog.${escapeIdentifier(name)}();
${enable}`
}

/** Returns SQL for a row as JSON. `*` is evaluated when the trigger runs, because the table's columns may change. */
function rowAsJson(
  alias: 'old' | 'new',
  payload: ObservedColumns['payload'],
  texts: readonly string[],
) {
  const row =
    payload === '*'
      ? `row_to_json(${alias})`
      : `json_build_object(${objectArguments(alias, payload)})`
  return withStringValues(row, texts)
}

/** Returns the condition that an update did not change the watched columns. Compares text, because the type json has no equality. */
function unchangedCondition(watched: ObservedColumns['watched']): string {
  const columns = (alias: 'old' | 'new') =>
    watched === '*'
      ? `${alias}.*`
      : watched.map((column) => `${alias}.${escapeIdentifier(column)}`).join(', ')
  return `row(${columns('old')})::text is not distinct from row(${columns('new')})::text`
}

/**
 * SQL for the trace context of the request that made the change. If the request has none, creates a context for all events of the
 * transaction. Null for a change that was not made through the engine.
 */
const TRACE_CONTEXT = `coalesce(
      nullif(current_setting('hasura.tracecontext', true), ''),
      case when current_setting('hasura.user', true) <> '' then
        set_config('hasura.tracecontext', json_build_object(
          'trace_id', encode(uuid_send(gen_random_uuid()), 'hex'),
          'span_id', left(md5(gen_random_uuid()::text), 16),
          'sampling_state', '1'
        )::text, true)
      end
    )::json`

/** Returns SQL that converts the values of these keys to strings. Ignores keys that are missing when the trigger runs. */
function withStringValues(object: string, keys: readonly string[]): string {
  if (keys.length === 0) return object
  return `${object}::jsonb || (
    select coalesce(jsonb_object_agg(key, value), '{}') from json_each_text(${object})
    where value is not null and key in (${keys.map(escapeLiteral).join(', ')})
  )`
}

function objectArguments(alias: 'old' | 'new', columns: readonly string[]): string {
  return columns
    .map((column) => `${escapeLiteral(column)}, ${alias}.${escapeIdentifier(column)}`)
    .join(', ')
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
