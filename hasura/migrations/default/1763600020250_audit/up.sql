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
comment on table audit is 'Who changed what of a team: keys, secrets, members, verification, limits';
comment on column audit.team_id is 'Not a foreign key: what happened outlives what it happened to';
comment on column audit.actor_role is 'user, api_key, reviewer or service; database for who works on it directly';
comment on column audit.actor_id is 'Of the user or the API key; null when a service acts by itself';
comment on column audit.changes is '{column: {old, new}}; of a secret only {changed: true}';
create index audit_team_id_created_at_id_idx on audit (team_id, created_at, id);
create trigger set_id before insert on audit for each row execute function set_id('aud');
create trigger keep before update on audit for each row execute function refuse_change('audit');

-- The trigger's arguments are the columns to watch. Hasura says in hasura.user who acts; a service
-- that acts for a user passes their id on.
create function audit() returns trigger
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
    regexp_replace(name, '_hash$', ''),
    case
      when name like '%\_hash' then jsonb_build_object('changed', true)
      else jsonb_strip_nulls(jsonb_build_object('old', before -> name, 'new', after -> name))
    end
  )
  into differences
  from unnest(tg_argv) as name
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
    case when user_id is null then coalesce(session ->> 'x-hasura-role', 'database') else 'user' end,
    coalesce(user_id, session ->> 'x-hasura-api-key-id'),
    lower(tg_op),
    tg_table_name,
    coalesce(subject ->> 'id', subject ->> 'app_id'),
    differences
  );
  return null;
end
$$;

create trigger audit after insert or update or delete on team for each row
  execute function audit('name', 'deleted_at');
create trigger audit after insert or update or delete on membership for each row
  execute function audit('user_id', 'role');
create trigger audit after insert or update or delete on invite for each row
  execute function audit('email', 'role');
create trigger audit after insert or update or delete on api_key for each row
  execute function audit('name', 'is_active', 'secret_hash');
create trigger audit after insert or update or delete on app for each row
  execute function audit('name', 'engine', 'status', 'is_staging', 'is_archived', 'is_verified');
create trigger audit after insert or update or delete on action for each row
  execute function audit('app_id', 'action', 'status', 'max_verifications', 'return_url');
