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
  creates_actions boolean not null default false,
  rp_id text not null generated always as (rp_id_of(id)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint app_rp_id_key unique (rp_id)
);
comment on table app is 'A product of a team, in which each person is unique';
comment on column app.engine is 'Where proofs are verified: cloud is this service, on-chain is a smart contract';
comment on column app.is_staging is 'Staging apps accept proofs of simulated people';
comment on column app.is_verified is 'Set by the operator, never by the team';
comment on column app.creates_actions is 'True: the first valid proof of protocol 4.0 for an unknown action creates the action';
comment on column app.rp_id is 'The id of the app as a relying party of protocol 4.0; follows from the id';
create index app_team_id_idx on app (team_id);

-- Gives a new app its id. The ids of staging apps have another prefix. Refuses a chosen id instead of replacing the id: a
-- nullifier depends on the app's id, so a caller with the wrong id would count other people. Only create_app_with_id, seeds
-- and tests choose ids.
create function set_app_id() returns trigger
language plpgsql
as $$
begin
  if new.id is null then
    new.id := make_id(case when new.is_staging then 'app_staging' else 'app' end);
  elsif coalesce(current_setting('platform.fixed_ids', true), '') <> 'on' then
    raise exception 'the platform chooses the id of an app; got %: leave the id out, or ask the operator for create_app_with_id', new.id
      using errcode = 'invalid_parameter_value';
  end if;
  return new;
end
$$;
create trigger set_id before insert on app
for each row execute function set_app_id();
create trigger set_updated_at before update on app
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on app
for each row execute function record_in_audit(
  'name', 'engine', 'status', 'is_staging', 'is_archived', 'is_verified', 'creates_actions'
);

-- Clears is_verified when the name or the logo changes, because the operator verified the app with the old name and logo.
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

-- Keeps the apps of a deleted team archived, and its API keys revoked. Otherwise a request that was authorized before the
-- deletion could create or restore an app or a key.
create function disable_if_team_is_deleted() returns trigger
language plpgsql
as $$
begin
  -- An insert locks the team, to wait for an uncommitted deletion. An update need not lock the team: the deletion updates
  -- the same app or key, so one of the two updates waits for the other. (claim_client, which moves an app to another team,
  -- locks that team.)
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

-- Refuses to create or restore an app or a key of a blocked team. The locks are those of disable_if_team_is_deleted, which
-- runs first.
create function refuse_if_team_is_blocked() returns trigger
language plpgsql
as $$
begin
  if exists (
    select
    from team
    where id = new.team_id
      and blocked_at is not null
  ) then
    raise exception 'team_blocked: the team % is blocked', new.team_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger refuse_if_team_is_blocked before insert or update of is_archived, team_id on app
for each row when (not new.is_archived) execute function refuse_if_team_is_blocked();

create table action (
  id text primary key,
  app_id text not null references app on delete cascade,
  action text not null
    check (length(action) <= 256)
    constraint action_has_no_outer_spaces check (
      has_no_outer_spaces(action)
      or refuse_value('action must neither begin nor end with a space', action)
    ),
  name text not null default ''
    check (length(name) <= 128)
    constraint action_name_is_one_line check (name = without_control_characters(name)),
  description text not null default ''
    constraint action_description_is_short check (length(description) <= 4096),
  max_verifications integer not null default 1
    constraint action_max_verifications_is_0_or_more check (
      max_verifications >= 0
      or refuse_value('max_verifications must be 1 or more, or 0 for no limit', max_verifications::text)
    ),
  max_accounts_per_user integer not null default 1 check (max_accounts_per_user = 1),
  status text not null default 'active' check (status in ('active', 'inactive')),
  return_url text not null default ''
    check (return_url ~ '^(https?://[^\s/?#"<>\\]+([/?#][^\s"<>\\]*)?)?$')
    constraint action_return_url_is_short check (length(return_url) <= 2048)
    constraint action_return_url_has_valid_port check (has_valid_port(return_url)),
  external_nullifier text check (external_nullifier ~ '^0x[0-9a-f]{64}$'),
  protocol text not null default '3.0' check (protocol in ('3.0', '4.0', 'both')),
  allows_repeat boolean not null default false,
  credentials text[] not null default '{proof_of_human}'
    constraint action_credentials_are_known check (
      credentials <@ array['proof_of_human', 'selfie', 'passport', 'mnc']
      and coalesce(array_ndims(credentials), 0) = 1
      and cardinality(credentials) <= 4
    ),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint action_app_id_action_key unique (app_id, action),
  constraint action_sign_in_is_unlimited check (action <> '' or max_verifications = 0),
  constraint action_sign_in_has_protocol_3 check (action <> '' or protocol = '3.0'),
  constraint action_repeat_needs_protocol_4_and_limit_1
    check (not allows_repeat or (protocol <> '3.0' and max_verifications = 1))
);
comment on table action is 'An action of an app, which a person may do a limited number of times';
comment on column action.action is 'The identifier in the app; empty for sign-in';
comment on column action.max_verifications is 'Per person; 0 means unlimited';
comment on column action.external_nullifier is 'For clients that read it; a verification computes the value again';
comment on column action.protocol is 'The protocol of the proofs. A person has two nullifiers, so "both" can count a person twice';
comment on column action.allows_repeat is 'True: a person who was counted before gets success for a proof of protocol 4.0';
comment on column action.credentials is 'The credentials that count as a person, for proofs of protocol 4.0';
create trigger set_id before insert on action
for each row execute function set_id('action');
create trigger set_updated_at before update on action
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on action
for each row execute function record_in_audit(
  'app_id', 'action', 'status', 'max_verifications', 'return_url', 'protocol', 'allows_repeat',
  'credentials'
);

-- The following triggers refuse to move an app or an action, to change an action's identifier, and to change whether an app
-- is a staging app. A nullifier identifies a person only within an app and an action, so the existing counts would belong
-- to other people.
create function keep_team_of_app() returns trigger
language plpgsql
as $$
begin
  -- Only claim_client moves an app: it moves a self-registered client to the team that adopts the client.
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

-- Creates the sign-in action of a new app. It is unlimited and cannot be deleted without the app.
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
  -- A deletion of the app deletes the app before its actions, so the sign-in action can be deleted then.
  if exists (select from app where app.id = old.app_id) then
    raise exception 'the sign-in action cannot be deleted'
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger keep_sign_in_action before delete on action
for each row when (old.action = '') execute function keep_sign_in_action();

-- Refuses to insert a row of an app for users and API keys, except the owners, admins and API keys of the app's team.
-- PostgreSQL checks unique constraints before Hasura checks the permission to insert. So without this trigger, the kind of
-- error would reveal whether another team's app has a value, such as a payment's reference. The error code is the same as
-- for Hasura's permission. Hasura's permissions restrict the inserts further.
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

-- Computed fields of an action with facts of its app. So clients can read these facts without reading the app.
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
