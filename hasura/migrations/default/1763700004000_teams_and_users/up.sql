-- Teams, users and memberships.
--
-- Functions and triggers must lock these rows in one order, to prevent deadlocks: first the user, then the user's
-- memberships (ordered by team), then the teams (ordered by id), then all other rows.

create table team (
  id text primary key,
  name text not null
    check (length(name) between 1 and 128)
    constraint team_name_is_one_line check (name = without_control_characters(name)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  blocked_at timestamptz,
  block_reason text check (length(block_reason) between 1 and 512),
  constraint team_has_block_reason_if_blocked check ((blocked_at is null) = (block_reason is null))
);
comment on table team is 'A group of users that owns apps and API keys';
comment on column team.blocked_at is 'When the operator blocked the team; null for other teams';
comment on column team.block_reason is 'For the operator; the owners read it in the audit trail';
comment on column team.deleted_at is 'When the team was deleted, by an owner or with the account of its last member; the counts of its apps stay';
create trigger set_id before insert on team
for each row execute function set_id('team');
create trigger set_updated_at before update on team
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on team
for each row execute function record_in_audit('name', 'deleted_at', 'blocked_at', 'block_reason');

create table "user" (
  id text primary key,
  email text not null unique check (email = lower(btrim(email))),
  name text not null
    check (length(name) between 1 and 128)
    constraint user_name_is_one_line check (name = without_control_characters(name)),
  password_hash text not null,
  email_verified_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table "user" is 'A person who signs in to the developer portal';
comment on column "user".password_hash is 'argon2id, in PHC string format';
create trigger set_id before insert on "user"
for each row execute function set_id('usr');
create trigger set_updated_at before update on "user"
for each row execute function set_updated_at();

create table membership (
  id text primary key,
  team_id text not null references team on delete cascade,
  user_id text not null references "user" on delete cascade,
  role text not null default 'MEMBER' check (role in ('OWNER', 'ADMIN', 'MEMBER')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint membership_user_id_team_id_key unique (user_id, team_id)
);
comment on table membership is 'A user in a team, with the role there';
create index membership_team_id_idx on membership (team_id);
create trigger set_id before insert on membership
for each row execute function set_id('memb');
create trigger set_updated_at before update on membership
for each row execute function set_updated_at();
create trigger keep_team_id before update of team_id on membership
for each row when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');
create trigger keep_user_id before update of user_id on membership
for each row when (old.user_id is distinct from new.user_id) execute function refuse_change('user_id');
create trigger audit after insert or update or delete on membership
for each row execute function record_in_audit('user_id', 'role');

-- Refuses to remove or demote the last owner of a team, unless the team is deleted. If two owners leave concurrently, the
-- second waits for the first one's lock, and then finds no other owner. The lock is "no key update". It does not block new
-- members, because inserting a membership takes a key share lock.
create function keep_an_owner() returns trigger
language plpgsql
as $$
begin
  perform
  from team
  where id = old.team_id
    and deleted_at is null
  for no key update;
  if found and not exists (
    select
    from membership
    where team_id = old.team_id
      and role = 'OWNER'
  ) then
    raise exception 'a team must keep an owner'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger keep_an_owner_on_update after update of role on membership
for each row when (old.role = 'OWNER' and new.role <> 'OWNER') execute function keep_an_owner();
create trigger keep_an_owner_on_delete after delete on membership
for each row when (old.role = 'OWNER') execute function keep_an_owner();

-- Refuses changes of owners by API keys. Otherwise the thief of a key could become the only owner, and no owner could
-- revoke the key. Hasura's permissions already keep the role api_key from such changes. The trigger also applies to services
-- that act for a key. Hasura passes the caller's session variables in hasura.user.
create function keep_owners_from_keys() returns trigger
language plpgsql
as $$
declare
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
begin
  if session ->> 'x-hasura-role' = 'api_key' or session ? 'x-hasura-api-key-id' then
    -- The error code is the same as for Hasura's permission.
    raise exception 'an API key cannot create, change or remove an owner'
      using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create trigger keep_owners_from_keys_on_insert after insert on membership
for each row when (new.role = 'OWNER') execute function keep_owners_from_keys();
create trigger keep_owners_from_keys_on_update after update on membership
for each row when (old.role = 'OWNER' or new.role = 'OWNER') execute function keep_owners_from_keys();
create trigger keep_owners_from_keys_on_delete after delete on membership
for each row when (old.role = 'OWNER') execute function keep_owners_from_keys();

-- The users that each user may see. With this view in the permission to read users, PostgreSQL starts at the viewer's few
-- memberships. With the condition "is the viewer, or shares a team with the viewer", it would test every user.
create view visible_user as
select
  id as viewer_id,
  id as user_id
from "user"
union all
select
  viewer.user_id as viewer_id,
  member.user_id
from membership as viewer
join membership as member on member.team_id = viewer.team_id;
comment on view visible_user is 'The users that a viewer may see: the viewer, and the members of the viewer''s teams';
