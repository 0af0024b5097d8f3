create table app (
  id text primary key,
  team_id text not null references team on delete cascade,
  name text not null
    check (length(name) between 1 and 128)
    constraint app_name_is_one_line check (name = without_control_characters(name)),
  logo_url text not null default ''
    check (logo_url ~ '^(https?://[^\s/?#"<>\\]+([/?#][^\s"<>\\]*)?)?$')
    constraint app_logo_url_is_short check (length(logo_url) <= 2048)
    constraint app_logo_url_has_valid_port check (has_valid_port(logo_url)),
  engine text not null default 'cloud' check (engine in ('cloud', 'on-chain')),
  status text not null default 'active' check (status in ('active', 'inactive')),
  is_staging boolean not null default false,
  is_archived boolean not null default false,
  is_verified boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table app is 'A product of a team, within which each person is unique';
comment on column app.engine is 'Where proofs are verified: by this service or by a smart contract';
comment on column app.is_staging is 'Staging apps accept proofs of simulated people';
comment on column app.is_verified is 'Set by the operator, never by the team';
create index app_team_id_idx on app (team_id);

-- The prefix of the id tells staging apps from others.
create function set_app_id() returns trigger
language plpgsql
as $$
begin
  if new.id is null or coalesce(current_setting('platform.fixed_ids', true), '') <> 'on' then
    new.id := make_id(case when new.is_staging then 'app_staging' else 'app' end);
  end if;
  return new;
end
$$;
create trigger set_id before insert on app
for each row execute function set_app_id();
create trigger set_updated_at before update on app
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on app
for each row execute function record_in_audit('name', 'engine', 'status', 'is_staging', 'is_archived', 'is_verified');

-- The operator verified an app by its name and logo; with another name or logo it is unverified again.
create function clear_is_verified() returns trigger
language plpgsql
as $$
begin
  new.is_verified := false;
  return new;
end
$$;
create trigger clear_is_verified before update of name, logo_url on app
for each row when (old.is_verified and (old.name, old.logo_url) is distinct from (new.name, new.logo_url))
execute function clear_is_verified();

-- Apps of a deleted team stay archived, and its API keys stay revoked. Without this, a request that was authorized
-- before the deletion could still create an app or a key, or bring one back.
create function disable_if_team_is_deleted() returns trigger
language plpgsql
as $$
begin
  -- An insert waits for a deletion that has not been committed yet. An update need not lock the team: the deletion
  -- updates the same app or key, so one of the two waits for the other at that row. (claim_client, which brings an app
  -- to another team, holds a lock on that team.)
  if tg_op = 'INSERT' then
    perform
    from team
    where id = new.team_id
    for key share;
  end if;
  if exists (
    select
    from team
    where id = new.team_id
      and deleted_at is not null
  ) then
    if tg_table_name = 'app' then
      new.is_archived := true;
    else
      new.is_active := false;
    end if;
  end if;
  return new;
end
$$;
create trigger disable_if_team_is_deleted before insert or update of is_archived, team_id on app
for each row when (not new.is_archived) execute function disable_if_team_is_deleted();

create table action (
  id text primary key,
  app_id text not null references app on delete cascade,
  action text not null check (length(action) <= 256),
  name text not null default ''
    check (length(name) <= 128)
    constraint action_name_is_one_line check (name = without_control_characters(name)),
  description text not null default ''
    constraint action_description_is_short check (length(description) <= 4096),
  max_verifications integer not null default 1 check (max_verifications >= 0),
  max_accounts_per_user integer not null default 1 check (max_accounts_per_user = 1),
  status text not null default 'active' check (status in ('active', 'inactive')),
  return_url text not null default ''
    check (return_url ~ '^(https?://[^\s/?#"<>\\]+([/?#][^\s"<>\\]*)?)?$')
    constraint action_return_url_is_short check (length(return_url) <= 2048)
    constraint action_return_url_has_valid_port check (has_valid_port(return_url)),
  external_nullifier text check (external_nullifier ~ '^0x[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint action_app_id_action_key unique (app_id, action),
  constraint action_sign_in_is_unlimited check (action <> '' or max_verifications = 0)
);
comment on table action is 'Something that a person may do a limited number of times';
comment on column action.action is 'Identifier within the app; the empty text is sign-in';
comment on column action.max_verifications is 'Per person; 0 means unlimited';
comment on column action.external_nullifier is 'For readers only: verification computes its own';
create trigger set_id before insert on action
for each row execute function set_id('action');
create trigger set_updated_at before update on action
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on action
for each row execute function record_in_audit('app_id', 'action', 'status', 'max_verifications', 'return_url');

-- A nullifier stands for a person within one app and action, and within production or staging. If one of these
-- changed, the existing counts would belong to other people.
create function keep_team_of_app() returns trigger
language plpgsql
as $$
begin
  -- A client that registered itself moves to the team that adopts it (claim_client).
  if coalesce(current_setting('platform.adopted_app', true), '') <> old.id then
    raise exception 'team_id cannot be changed'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger keep_team_id before update of team_id on app
for each row when (old.team_id is distinct from new.team_id) execute function keep_team_of_app();
create trigger audit_team_id after update of team_id on app
for each row execute function record_in_audit('team_id');
create trigger keep_is_staging before update of is_staging on app
for each row when (old.is_staging is distinct from new.is_staging) execute function refuse_change('is_staging');
create trigger keep_app_id before update of app_id on action
for each row when (old.app_id is distinct from new.app_id) execute function refuse_change('app_id');
create trigger keep_action before update of action on action
for each row when (old.action is distinct from new.action) execute function refuse_change('action');

-- Each app is created with its sign-in action, which is unlimited and exists for as long as the app does.
create function make_sign_in_action() returns trigger
language plpgsql
as $$
begin
  insert into action (app_id, action, name, max_verifications)
  values (new.id, '', 'Sign in', 0);
  return null;
end
$$;
create trigger make_sign_in_action after insert on app
for each row execute function make_sign_in_action();

create function keep_sign_in_action() returns trigger
language plpgsql
as $$
begin
  -- When the app itself is deleted, it is gone by the time its actions are.
  if exists (select from app where app.id = old.app_id) then
    raise exception 'the sign-in action cannot be deleted'
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger keep_sign_in_action before delete on action
for each row when (old.action = '') execute function keep_sign_in_action();

-- Refuses to insert a row of an app for a caller who is neither an owner or admin of the app's team nor its API key.
-- PostgreSQL checks unique constraints before Hasura checks the permission to insert, so the kind of error would
-- tell a stranger what another team's app has, such as a payment's reference. Members may insert nothing either, and
-- cannot read redirects, so they are refused here too. The error code is the one that Hasura's permission has.
-- What exactly the others may insert is for the permissions to say.
create function require_app_editor() returns trigger
language plpgsql
as $$
declare
  -- Hasura passes the caller's session variables in hasura.user.
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
begin
  if session ->> 'x-hasura-role' in ('user', 'api_key') and not exists (
    select
    from app
    where app.id = new.app_id
      and (
        app.team_id = session ->> 'x-hasura-team-id'
        or exists (
          select
          from membership
          where membership.team_id = app.team_id
            and membership.user_id = session ->> 'x-hasura-user-id'
            and membership.role in ('OWNER', 'ADMIN')
        )
      )
  ) then
    raise exception 'the caller has no such app'
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger require_app_editor before insert on action
for each row execute function require_app_editor();

-- Computed fields, so that an action can be read without its app.
create function action_is_staging(action_row action) returns boolean
language sql stable
as $$
  select is_staging
  from app
  where id = action_row.app_id
$$;
create function action_engine(action_row action) returns text
language sql stable
as $$
  select engine
  from app
  where id = action_row.app_id
$$;
