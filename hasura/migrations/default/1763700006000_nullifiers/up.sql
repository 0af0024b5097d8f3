-- Partitioned by a hash of the action, which every count names: it uses the small indexes of one partition, and several
-- partitions are vacuumed and indexed at a time. Why sixteen, and why rows are no smaller: docs/decisions/teams/0093-nullifiers-in-partitions.md.
create table nullifier (
  action_id text not null references action on delete cascade,
  -- In the collation that never changes: indexes stay right when the operating system's rules of sorting change.
  nullifier_hash text collate "C" not null check (nullifier_hash ~ '^0x[0-9a-f]{64}$'),
  uses integer not null default 1 check (uses > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (action_id, nullifier_hash)
)
partition by hash (action_id);
comment on table nullifier is 'A person within an action, and how often they verified for it';
comment on column nullifier.nullifier_hash is 'Canonical: 0x and 64 lower-case digits, so that one number is one row';
comment on column nullifier.created_at is 'The first verification';

do $$
begin
  for remainder in 0..15 loop
    -- Room on each page for the next version of a row: an update of the count then changes no index. And vacuumed when a
    -- fiftieth is new, not a fifth: the people of the last days are then counted from the index alone.
    execute format(
      'create table nullifier_%1$s partition of nullifier for values with (modulus 16, remainder %1$s) '
      'with (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.02)',
      remainder
    );
  end loop;
end
$$;

create index nullifier_action_id_created_at_idx on nullifier (action_id, created_at);
-- How many days there are: otherwise people by day would be planned as if each had come on a day of their own, and a
-- million of them sorted on disk instead of being counted by several processes.
create statistics nullifier_day on ((created_at at time zone 'UTC')::date) from nullifier;
create trigger set_updated_at before update on nullifier
for each row execute function set_updated_at();

-- Computed field: an id like every other row's. It is made of the key when it is asked for, because stored it took a third of all bytes.
create function nullifier_id(nullifier_row nullifier) returns text
language sql stable
return 'nil_' || left(encode(sha256(convert_to(nullifier_row.action_id || ' ' || nullifier_row.nullifier_hash, 'UTF8')), 'hex'), 32);

-- Computed field: how often people verified for an action, {nullifier_hash: uses}, without those who never did.
-- In plpgsql with a general plan, because such a plan is made once, and looks into the action's partition only. A join would
-- be planned anew for every verification, with all partitions, which takes longer than the verification's other statements.
create function action_uses(action_row action, nullifier_hashes jsonb) returns jsonb
language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select coalesce(jsonb_object_agg(nullifier.nullifier_hash, nullifier.uses), '{}')
    from nullifier
    where nullifier.action_id = action_row.id
      and nullifier.nullifier_hash = any (array(select jsonb_array_elements_text(nullifier_hashes)))
  );
end
$$;

-- Counts one verification in one statement: however many callers race, a person gets at most max_verifications rows
-- from it. No row means that the limit is reached, or that the action does not exist or is inactive.
-- The key share lock waits for a transaction that is deleting the action. Otherwise the foreign key would fail
-- afterwards, and with it the whole statement, for everybody who is counted in it.
create function record_nullifier(action_id text, nullifier_hash text) returns setof nullifier
language sql volatile
as $$
  insert into nullifier (action_id, nullifier_hash)
  select action.id, record_nullifier.nullifier_hash
  from action
  where action.id = record_nullifier.action_id
    and action.status = 'active'
  for key share
  on conflict on constraint nullifier_pkey do update
  set uses = nullifier.uses + 1
  where exists (
    select
    from action
    where action.id = excluded.action_id
      and (action.max_verifications = 0 or nullifier.uses < action.max_verifications)
  )
  returning *
$$;

-- Counts verifications that arrived together, [{action_id, nullifier_hash}], in one statement and one commit. There
-- is a row for each that was counted, and none for one whose limit is reached. They are counted in the order of
-- their keys, so that two instances that count the same people never deadlock.
--
-- Verifications of several teams share the statement, so it never waits for a transaction that is deleting an action:
-- those of such an action have no row. To know why there is none, the caller counts them again, alone, with "waits".
create function record_nullifiers(verifications jsonb, waits boolean default false) returns setof nullifier
language sql volatile
set lock_timeout = '2s'
as $$
  with verification as (
    select action_id, nullifier_hash
    from jsonb_to_recordset(verifications) as verification (action_id text, nullifier_hash text)
  ),
  unlocked as materialized (
    select action.id
    from action
    where action.id = any (array(select verification.action_id from verification))
    for key share skip locked
  )
  select recorded.*
  from (
    select action_id, nullifier_hash
    from verification
    where waits
      or action_id in (select unlocked.id from unlocked)
    order by action_id, nullifier_hash
  ) as verification
  cross join lateral record_nullifier(verification.action_id, verification.nullifier_hash) as recorded
$$;
