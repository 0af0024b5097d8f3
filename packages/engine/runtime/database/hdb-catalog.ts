import { type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { VERSION } from '../../config/version.ts'
import { LIFT_LIMITS } from './waiting-limits.ts'

type InstallationOptions = {
  /** The schema in which the extension pgcrypto is created. */
  extensionsSchema: string
  log: Log
}

/**
 * Creates the missing tables of Hasura's schema `hdb_catalog`: the CLI's state, the metadata, and the queues of events and actions.
 * Keeps existing tables. Like Hasura, creates the extension pgcrypto in a database without this schema, because migrations dumped
 * from a database of Hasura call `public.gen_random_uuid()`.
 */
export async function installHdbCatalog(
  client: ClientBase,
  { extensionsSchema, log }: InstallationOptions,
): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass($1) is not null and exists (
       select from pg_attribute where attrelid = to_regclass($2) and attname = $3
     ) as present`,
    [LAST_TABLE, ...NEWEST_COLUMN],
  )
  if (rows[0]?.present === true) return
  const warn = ({ message = '' }: { message?: string | undefined }) => {
    if (message.startsWith(NO_PGCRYPTO)) log.warn(message)
  }
  client.on('notice', warn)
  await client.query(installation(extensionsSchema))
  client.off('notice', warn)
}

/** The start of a warning. It is no error, because the engine does not need pgcrypto, and a migration that needs it fails anyway. */
const NO_PGCRYPTO = 'the extension pgcrypto cannot be created'

/** The table that is created last. If it exists, all tables of this engine's first version exist. */
const LAST_TABLE = 'hdb_catalog.engine_notice'

/** The newest column that a later version added. */
const NEWEST_COLUMN = ['hdb_catalog.hdb_scheduled_events', 'response_transform'] as const

// PostgreSQL runs a text with several statements in one transaction. With the lock, engines that start together take turns.
const installation = (extensionsSchema: string) => `
set transaction isolation level read committed;
${LIFT_LIMITS};
select pg_advisory_xact_lock(hashtext('hdb_catalog'));

do $$ begin
  if to_regnamespace('hdb_catalog') is null then
    create extension if not exists pgcrypto schema ${escapeIdentifier(extensionsSchema)};
  end if;
exception when others then
  raise warning '%', ${escapeLiteral(NO_PGCRYPTO)} || ': ' || sqlerrm;
end $$;

create schema if not exists hdb_catalog;

create or replace function hdb_catalog.gen_hasura_uuid() returns uuid language sql as
  'select gen_random_uuid()';

create table if not exists hdb_catalog.hdb_version (
  hasura_uuid uuid primary key default hdb_catalog.gen_hasura_uuid(),
  version text not null,
  upgraded_on timestamptz not null,
  cli_state jsonb not null default '{}',
  console_state jsonb not null default '{}',
  ee_client_id text,
  ee_client_secret text
);
create unique index if not exists hdb_version_one_row
  on hdb_catalog.hdb_version ((version is not null));
insert into hdb_catalog.hdb_version (version, upgraded_on) values ('48', now())
  on conflict do nothing;

create table if not exists hdb_catalog.hdb_metadata (
  id integer primary key,
  metadata json not null,
  resource_version integer not null default 1 unique
);

create table if not exists hdb_catalog.hdb_action_log (
  id uuid primary key default hdb_catalog.gen_hasura_uuid(),
  action_name text,
  input_payload jsonb not null,
  request_headers jsonb not null,
  session_variables jsonb not null,
  response_payload jsonb,
  errors jsonb,
  created_at timestamptz not null default now(),
  response_received_at timestamptz,
  status text not null check (status in ('created', 'processing', 'completed', 'error'))
);
create index if not exists hdb_action_log_open
  on hdb_catalog.hdb_action_log (created_at) where status in ('created', 'processing');

create table if not exists hdb_catalog.hdb_cron_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text not null,
  scheduled_time timestamptz not null,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamp default now(),
  next_retry_at timestamptz,
  constraint valid_status
    check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);
create index if not exists hdb_cron_event_status on hdb_catalog.hdb_cron_events (status);
create unique index if not exists hdb_cron_events_unique_scheduled
  on hdb_catalog.hdb_cron_events (trigger_name, scheduled_time) where status = 'scheduled';

create table if not exists hdb_catalog.hdb_cron_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_cron_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamp default now()
);
create index if not exists hdb_cron_event_invocation_event_id
  on hdb_catalog.hdb_cron_event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_scheduled_events (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  webhook_conf json not null,
  scheduled_time timestamptz not null,
  retry_conf json,
  payload json,
  header_conf json,
  status text not null default 'scheduled',
  tries integer not null default 0,
  created_at timestamptz default now(),
  next_retry_at timestamptz,
  comment text,
  constraint valid_status
    check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead'))
);
alter table hdb_catalog.hdb_scheduled_events
  add column if not exists request_transform json,
  add column if not exists response_transform json;
create index if not exists hdb_scheduled_event_status on hdb_catalog.hdb_scheduled_events (status);

create table if not exists hdb_catalog.hdb_scheduled_event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  event_id text references hdb_catalog.hdb_scheduled_events (id) on update cascade on delete cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz default now()
);
create index if not exists hdb_scheduled_event_invocation_event_id
  on hdb_catalog.hdb_scheduled_event_invocation_logs (event_id);

create table if not exists hdb_catalog.event_log (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  schema_name text not null,
  table_name text not null,
  trigger_name text not null,
  payload jsonb not null,
  delivered boolean not null default false,
  error boolean not null default false,
  tries integer not null default 0,
  created_at timestamp default now(),
  locked timestamptz,
  next_retry_at timestamp,
  archived boolean not null default false
);
create index if not exists event_log_trigger_name_idx on hdb_catalog.event_log (trigger_name);
create index if not exists event_log_fetch_events
  on hdb_catalog.event_log (locked nulls first, next_retry_at nulls first, created_at)
  where delivered = false and error = false and archived = false;

create table if not exists hdb_catalog.event_invocation_logs (
  id text primary key default hdb_catalog.gen_hasura_uuid(),
  trigger_name text,
  event_id text,
  status integer,
  request json,
  response json,
  created_at timestamp default now()
);
create index if not exists event_invocation_logs_event_id_idx
  on hdb_catalog.event_invocation_logs (event_id);

create table if not exists hdb_catalog.hdb_schema_notifications (
  id integer primary key check (id = 1),
  notification json not null,
  resource_version integer not null default 1,
  instance_id uuid not null,
  updated_at timestamptz default now()
);

create table if not exists ${LAST_TABLE} (note text);
insert into ${LAST_TABLE} values ('written by the embedded engine ${VERSION}');
`
