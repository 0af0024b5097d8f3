create table team (
  id text primary key,
  name text not null check (length(name) between 1 and 128),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table team is 'Owns apps and API keys; its members share them';
create trigger set_id before insert on team for each row execute function set_id('team');
create trigger set_updated_at before update on team for each row execute function set_updated_at();

create table "user" (
  id text primary key,
  email text not null unique check (email = lower(btrim(email))),
  name text not null check (length(name) between 1 and 128),
  password_hash text not null,
  email_verified_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table "user" is 'A person who signs in to the portal';
comment on column "user".password_hash is 'argon2id, in PHC string format';
create trigger set_id before insert on "user" for each row execute function set_id('usr');
create trigger set_updated_at before update on "user" for each row execute function set_updated_at();

create table membership (
  id text primary key,
  team_id text not null references team on delete cascade,
  user_id text not null references "user" on delete cascade,
  role text not null default 'MEMBER' check (role in ('OWNER', 'ADMIN', 'MEMBER')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint membership_user_id_team_id_key unique (user_id, team_id)
);
comment on table membership is 'A user of a team, and what they may do there';
create index membership_team_id_idx on membership (team_id);
create trigger set_id before insert on membership for each row execute function set_id('memb');
create trigger set_updated_at before update on membership for each row execute function set_updated_at();
