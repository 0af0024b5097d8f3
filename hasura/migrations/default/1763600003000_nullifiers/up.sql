create table nullifier (
  id text primary key,
  action_id text not null references action on delete cascade,
  nullifier_hash text not null check (nullifier_hash ~ '^0x[0-9a-f]{64}$'),
  uses integer not null default 1 check (uses > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint nullifier_action_id_nullifier_hash_key unique (action_id, nullifier_hash)
)
-- Room on each page for the counter's next version: an update then touches no index.
with (fillfactor = 90);
comment on table nullifier is 'A person within an action, and how often they verified it';
comment on column nullifier.nullifier_hash is 'Canonical: 0x and 64 lower-case digits, so that one number is one row';
comment on column nullifier.created_at is 'The first verification';
create index nullifier_action_id_created_at_id_idx on nullifier (action_id, created_at, id);
create trigger set_id before insert on nullifier for each row execute function set_id('nil');
create trigger set_updated_at before update on nullifier for each row execute function set_updated_at();

-- The one statement that counts: however many callers race, a person gets at most max_verifications
-- rows out of it. No row means that the limit is reached (or that the action is gone or inactive).
create function record_nullifier(action_id text, nullifier_hash text) returns setof nullifier
language sql volatile
as $$
  insert into nullifier (action_id, nullifier_hash)
  select action.id, record_nullifier.nullifier_hash
  from action
  where action.id = record_nullifier.action_id
    and action.status = 'active'
  on conflict on constraint nullifier_action_id_nullifier_hash_key do update
  set uses = nullifier.uses + 1
  where exists (
    select
    from action
    where action.id = excluded.action_id
      and (action.max_verifications = 0 or nullifier.uses < action.max_verifications)
  )
  returning *
$$;
