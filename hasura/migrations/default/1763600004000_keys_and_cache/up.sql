create table api_key (
  id text primary key,
  team_id text not null references team on delete cascade,
  name text not null check (length(name) between 1 and 128),
  secret_hash text not null check (secret_hash ~ '^[0-9a-f]{64}$'),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table api_key is 'Lets a team''s servers use the GraphQL API';
comment on column api_key.secret_hash is 'HMAC-SHA-256 of the secret, keyed with a pepper that is not in this database';
create index api_key_team_id_idx on api_key (team_id);
create trigger set_id before insert on api_key for each row execute function set_id('key');
create trigger set_updated_at before update on api_key for each row execute function set_updated_at();
create trigger keep_team_id before update of team_id on api_key for each row
  when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');

create table cache (
  key text primary key,
  value text not null,
  updated_at timestamptz not null default now()
);
comment on table cache is 'Facts looked up elsewhere, such as the address behind a name';
create trigger set_updated_at before update on cache for each row execute function set_updated_at();

create table jwks (
  id text primary key,
  use text not null default 'verification' check (use in ('verification', 'sign-in')),
  public_jwk jsonb not null,
  private_jwk_encrypted text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table jwks is 'Signing keys; the id is the kid';
comment on column jwks.private_jwk_encrypted is 'AES-256-GCM under a key that is not in this database, bound to the id';
create index jwks_use_expires_at_idx on jwks (use, expires_at);
create trigger set_id before insert on jwks for each row execute function set_id('jwk');
