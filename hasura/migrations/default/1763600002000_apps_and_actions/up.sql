create table app (
  id text primary key,
  team_id text not null references team on delete cascade,
  name text not null check (length(name) between 1 and 128),
  logo_url text not null default '' check (logo_url = '' or logo_url ~ '^https?://'),
  engine text not null default 'cloud' check (engine in ('cloud', 'on-chain')),
  status text not null default 'active' check (status in ('active', 'inactive')),
  is_staging boolean not null default false,
  is_archived boolean not null default false,
  is_verified boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table app is 'A product of a team; the scope in which a person is unique';
comment on column app.engine is 'Where proofs are verified: by this service or by a smart contract';
comment on column app.is_staging is 'Staging apps take proofs of simulated people';
comment on column app.is_verified is 'Set by the operator, never by the team';
create index app_team_id_idx on app (team_id);

-- The id tells staging apps by its prefix.
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
create trigger set_id before insert on app for each row execute function set_app_id();
create trigger set_updated_at before update on app for each row execute function set_updated_at();

create table action (
  id text primary key,
  app_id text not null references app on delete cascade,
  action text not null check (length(action) <= 256),
  name text not null default '' check (length(name) <= 128),
  description text not null default '',
  max_verifications integer not null default 1 check (max_verifications >= 0),
  max_accounts_per_user integer not null default 1 check (max_accounts_per_user = 1),
  status text not null default 'active' check (status in ('active', 'inactive')),
  return_url text not null default '' check (return_url = '' or return_url ~ '^https?://'),
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
create trigger set_id before insert on action for each row execute function set_id('action');
create trigger set_updated_at before update on action for each row execute function set_updated_at();

-- A nullifier is a person within (app, action), and within production or staging: were one of these
-- to change, the counts so far would belong to other people.
create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% cannot be changed', tg_argv[0] using errcode = 'integrity_constraint_violation';
end
$$;
create trigger keep_app_id before update of app_id on action for each row
  when (old.app_id is distinct from new.app_id) execute function refuse_change('app_id');
create trigger keep_action before update of action on action for each row
  when (old.action is distinct from new.action) execute function refuse_change('action');
create trigger keep_team_id before update of team_id on app for each row
  when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');
create trigger keep_is_staging before update of is_staging on app for each row
  when (old.is_staging is distinct from new.is_staging) execute function refuse_change('is_staging');

-- Each app has its sign-in action from the start: unlimited, and there for as long as the app is.
create function make_sign_in_action() returns trigger
language plpgsql
as $$
begin
  insert into action (app_id, action, name, max_verifications) values (new.id, '', 'Sign in', 0);
  return null;
end
$$;
create trigger make_sign_in_action after insert on app for each row execute function make_sign_in_action();

create function keep_sign_in_action() returns trigger
language plpgsql
as $$
begin
  if exists (select from app where app.id = old.app_id) then
    raise exception 'the sign-in action cannot be deleted' using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger keep_sign_in_action before delete on action for each row
  when (old.action = '') execute function keep_sign_in_action();

-- Computed fields, so that an action can be read without its app.
create function action_is_staging(action_row action) returns boolean
language sql stable
as $$
  select is_staging from app where id = action_row.app_id
$$;
create function action_engine(action_row action) returns text
language sql stable
as $$
  select engine from app where id = action_row.app_id
$$;
