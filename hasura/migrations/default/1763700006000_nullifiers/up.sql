-- The people of each action, partitioned by a hash of the action. A statement that counts names the action, so it uses the
-- small indexes of one partition. Several partitions can be vacuumed and indexed at the same time.
-- docs/decisions/teams/0093-nullifiers-in-partitions.md explains the number of partitions and the size of the rows.
create table nullifier (
  action_id text not null references action on delete cascade,
  -- The collation "C" never changes, so the index stays valid when the operating system changes its collations.
  nullifier_hash text collate "C" not null check (nullifier_hash ~ '^0x[0-9a-f]{64}$'),
  uses integer not null default 1 check (uses > 0),
  -- Null takes no space: the row's header has room for the flag.
  imported integer check (imported > 0 and imported <= uses),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (action_id, nullifier_hash)
)
partition by hash (action_id);
comment on table nullifier is 'A person in an action, and how often the person verified for the action';
comment on column nullifier.nullifier_hash is 'Canonical: 0x and 64 lower-case hex digits, so that each nullifier has one row';
comment on column nullifier.imported is 'How many of the uses an import brought over; null for a person whom this platform counted first and alone';
comment on column nullifier.created_at is 'The time of the first verification';

do $$
begin
  for remainder in 0..15 loop
    -- fillfactor: leaves room on each page for the next version of a row, so that an update of the count changes no index.
    -- Scale factor: vacuums after 2 % new rows instead of 20 %, so that recent people are counted with an index-only scan.
    execute format(
      'create table nullifier_%1$s partition of nullifier for values with (modulus 16, remainder %1$s) '
      'with (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.02)',
      remainder
    );
  end loop;
end
$$;

create index nullifier_action_id_created_at_idx on nullifier (action_id, created_at);
-- Tells the planner how many different days there are. Otherwise it would assume a different day for each person. Then it
-- would sort a million people on disk instead of counting them in parallel.
create statistics nullifier_day on ((created_at at time zone 'UTC')::date) from nullifier;
create trigger set_updated_at before update on nullifier
for each row execute function set_updated_at();

-- Computed field: an id like the ids of other tables. It is computed from the primary key, because a stored id took a third
-- of the table's bytes.
create function nullifier_id(nullifier_row nullifier) returns text
language sql stable
return 'nil_' || left(encode(sha256(convert_to(nullifier_row.action_id || ' ' || nullifier_row.nullifier_hash, 'UTF8')), 'hex'), 32);

-- Computed field: how often people verified for an action, {nullifier_hash: uses}, without people who never verified. In
-- plpgsql with a generic plan, which is made once and reads only the action's partition. A join would be planned for every
-- verification, with all partitions. That planning takes longer than all other statements of the verification.
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

-- Counts a verification in one statement, so that concurrent calls never exceed max_verifications. Returns no row if the
-- limit is reached, or if the action does not exist, is inactive or does not accept the protocol of the proof. The key share
-- lock waits for a transaction that is deleting the action or changing its protocol. Without it, the foreign key would be
-- violated, and a statement that counts several people would fail for all of them.
create function record_nullifier(action_id text, nullifier_hash text, protocol text) returns setof nullifier
language sql volatile
as $$
  insert into nullifier (action_id, nullifier_hash)
  select action.id, record_nullifier.nullifier_hash
  from action
  where action.id = record_nullifier.action_id
    and action.status = 'active'
    and action.protocol in (record_nullifier.protocol, 'both')
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

-- Counts verifications, [{action_id, nullifier_hash, protocol}], in one statement and one commit. Returns a row for each counted
-- verification, and no row if the limit is reached. Counts in the order of the keys, so that two instances that count the
-- same people never deadlock.
--
-- Verifications of several teams share the statement. So it does not wait for a transaction that is deleting an action, but
-- returns no row for this action. The caller then counts each missing verification again, in a separate statement with
-- "waits", to learn the reason.
create function record_nullifiers(verifications jsonb, waits boolean default false) returns setof nullifier
language sql volatile
set lock_timeout = '2s'
as $$
  with verification as (
    select action_id, nullifier_hash, protocol
    from jsonb_to_recordset(verifications) as verification (action_id text, nullifier_hash text, protocol text)
  ),
  unlocked as materialized (
    select action.id
    from action
    where action.id = any (array(select verification.action_id from verification))
    for key share skip locked
  )
  select recorded.*
  from (
    select action_id, nullifier_hash, protocol
    from verification
    where waits
      or action_id in (select unlocked.id from unlocked)
    order by action_id, nullifier_hash
  ) as verification
  cross join lateral record_nullifier(verification.action_id, verification.nullifier_hash, verification.protocol) as recorded
$$;

-- Refuses a change of an action's protocol that would count people again: a person has another nullifier in the other
-- protocol. The lock waits for the verifications that are being counted, and a later verification waits for this change.
create function keep_protocol() returns trigger
language plpgsql
as $$
begin
  perform
  from action
  where action.id = old.id
  for update;
  if exists (select from nullifier where nullifier.action_id = old.id) then
    raise exception 'protocol cannot be changed to %: the action has counted people, and could count them again with the other protocol; create another action', new.protocol
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger keep_protocol before update of protocol on action
for each row when (old.protocol <> new.protocol and old.protocol <> 'both') execute function keep_protocol();
