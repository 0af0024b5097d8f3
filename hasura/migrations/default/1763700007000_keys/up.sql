-- The API keys of teams, and the signing keys of the services.

create table api_key (
  -- The service chooses the id, since the hash of the secret includes it. So no trigger replaces the id.
  id text primary key default make_id('key') check (id ~ '^key_[0-9a-f]{32}$'),
  team_id text not null references team on delete cascade,
  name text not null
    check (length(name) between 1 and 128)
    constraint api_key_name_is_one_line check (name = without_control_characters(name)),
  secret_hash text not null check (secret_hash ~ '^[0-9a-f]{64}$'),
  is_active boolean not null default true,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table api_key is 'A key with which a team''s servers use the API';
comment on column api_key.secret_hash is 'HMAC-SHA-256 of the id and the secret, keyed with a pepper that is not in this database';
comment on column api_key.last_used_at is 'When the key was last used, to the hour; null if never';
create index api_key_team_id_idx on api_key (team_id);
-- The columns leave out last_used_at, so that the use of a key does not change updated_at.
create trigger set_updated_at before update of team_id, name, secret_hash, is_active on api_key
for each row execute function set_updated_at();
create trigger keep_team_id before update of team_id on api_key
for each row when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');
create trigger disable_if_team_is_deleted before insert or update of is_active on api_key
for each row when (new.is_active) execute function disable_if_team_is_deleted();
create trigger refuse_if_team_is_blocked before insert or update of is_active on api_key
for each row when (new.is_active) execute function refuse_if_team_is_blocked();
create trigger audit after insert or update or delete on api_key
for each row execute function record_in_audit('name', 'is_active', 'secret_hash');

create table jwks (
  -- The service chooses the id, since the encryption of the private key includes it.
  id text primary key check (id ~ '^jwk_[0-9a-f]{32}$'),
  use text not null default 'verification' check (use in ('verification', 'sign-in')),
  public_jwk jsonb not null,
  private_jwk_encrypted text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table jwks is 'The signing keys; the id is the kid';
comment on column jwks.private_jwk_encrypted is 'AES-256-GCM under a key that is not in this database, bound to the id';
create index jwks_use_expires_at_idx on jwks (use, expires_at);

-- Stores a verification key unless the newest verification key is valid until a time. Returns no row if nothing was stored.
create function store_next_key(
  id text,
  public_jwk jsonb,
  private_jwk_encrypted text,
  expires_at timestamptz,
  unless_valid_until timestamptz
) returns setof jwks
language sql volatile
as $$
  -- Concurrent calls wait for each other, so that each sees the committed keys.
  select pg_advisory_xact_lock(hashtextextended('store_next_key', 0));

  insert into jwks (id, use, public_jwk, private_jwk_encrypted, expires_at)
  select
    store_next_key.id,
    'verification',
    store_next_key.public_jwk,
    store_next_key.private_jwk_encrypted,
    store_next_key.expires_at
  where not exists (
    select
    from (
      select jwks.expires_at
      from jwks
      where jwks.use = 'verification'
      order by jwks.created_at desc, jwks.id desc
      limit 1
    ) newest
    where newest.expires_at > store_next_key.unless_valid_until
  )
  returning *;
$$;
