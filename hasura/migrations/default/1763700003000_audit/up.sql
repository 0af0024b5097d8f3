-- The audit trail. A trigger on each audited table writes the records. So the trail contains every change of the columns
-- that the trigger names, whether the change was made through GraphQL, by a service or with psql.

create table audit (
  id text primary key,
  team_id text,
  actor_role text not null,
  actor_id text,
  operation text not null check (operation in ('insert', 'update', 'delete')),
  subject text not null,
  subject_id text not null,
  changes jsonb not null,
  created_at timestamptz not null default now()
);
comment on table audit is 'The changes to the keys, secrets, members and apps of a team, with their actors';
comment on column audit.team_id is 'Not a foreign key: the record outlives the team';
comment on column audit.actor_role is 'user, api_key, or another role of Hasura, such as service or reviewer; database for a change made directly in the database';
comment on column audit.actor_id is 'The id of the user or the API key; null if neither caused the change';
comment on column audit.subject is 'The table, or person, export or import for a task of the operator';
comment on column audit.changes is '{column: {old, new}}; for a secret only {changed: true}';
create index audit_team_id_created_at_id_idx on audit (team_id, created_at, id);
-- For the query that counts a user's invites, and their repeated messages, of the last day.
create index audit_invites_idx on audit (actor_id, created_at)
where subject = 'invite' and operation <> 'delete';
create trigger set_id before insert on audit
for each row execute function set_id('aud');
create trigger keep_row before update on audit
for each row execute function refuse_change('audit');

-- Records changes of the columns that the trigger's arguments name. For a column with the suffix _hash, records that it
-- changed, but no value. The hash of a transaction is no secret. Hasura passes the caller's session variables in hasura.user. A service that acts for a user or an
-- API key sends its id in these variables.
create function record_in_audit() returns trigger
language plpgsql
as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) else '{}' end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) else '{}' end;
  subject jsonb := case when tg_op = 'DELETE' then before else after end;
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
  user_id text := session ->> 'x-hasura-user-id';
  differences jsonb;
begin
  select jsonb_object_agg(
    case when is_secret then regexp_replace(name, '_hash$', '') else name end,
    case
      when is_secret then jsonb_build_object('changed', true)
      else jsonb_strip_nulls(jsonb_build_object('old', before -> name, 'new', after -> name))
    end
  )
  into differences
  from (
    select name, name like '%\_hash' and name <> 'transaction_hash' as is_secret
    from unnest(tg_argv) as name
  ) as audited
  where coalesce(before -> name, 'null') <> coalesce(after -> name, 'null');
  if differences is null then
    return null;
  end if;
  insert into audit (team_id, actor_role, actor_id, operation, subject, subject_id, changes)
  values (
    case
      when tg_table_name = 'team' then subject ->> 'id'
      when subject ? 'team_id' then subject ->> 'team_id'
      else (select app.team_id from app where app.id = subject ->> 'app_id')
    end,
    case
      when user_id is not null then 'user'
      when session ? 'x-hasura-api-key-id' then 'api_key'
      else coalesce(session ->> 'x-hasura-role', 'database')
    end,
    coalesce(user_id, session ->> 'x-hasura-api-key-id'),
    lower(tg_op),
    tg_table_name,
    coalesce(subject ->> 'id', subject ->> 'app_id', subject ->> 'kind'),
    differences
  );
  return null;
end
$$;
