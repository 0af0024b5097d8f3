-- Requests with an idempotency key: a retry gets the response of the first request. A key is valid for a day. An older row
-- is ignored until it is deleted.

create table counted_request (
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  app_id text not null,
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  action_id text not null,
  nullifier_hash text collate "C" not null,
  uses integer not null,
  max_uses integer not null,
  verified_at timestamptz not null,
  token_id text not null check (length(token_id) <= 64),
  verification_level text check (length(verification_level) <= 64),
  outcomes jsonb check (length(outcomes::text) <= 1024),
  created_at timestamptz not null default now(),
  -- The key comes first, because it nearly always identifies the row without the app.
  primary key (key_hash, app_id),
  constraint counted_request_nullifier_fkey foreign key (action_id, nullifier_hash) references nullifier on delete cascade
);
comment on table counted_request is 'A counted verification with an idempotency key, and its response';
comment on column counted_request.app_id is 'Not a foreign key: counting would wait for a transaction that is deleting the app';
comment on column counted_request.key_hash is 'SHA-256 of the key';
comment on column counted_request.fingerprint is 'SHA-256 of the request; another request with the same key is refused';
comment on column counted_request.verified_at is 'When the person first verified';
comment on column counted_request.token_id is 'The id of the verification token, if the response had a token';
comment on column counted_request.outcomes is 'For protocol 4.0: for each proof of the request the error code, or an empty text for a valid proof';
comment on column counted_request.verification_level is 'The level that was proven; null if the request named no level';
create index counted_request_action_id_nullifier_hash_idx on counted_request (action_id, nullifier_hash);
create index counted_request_created_at_idx on counted_request (created_at);

-- Returns the number of a key's advisory lock.
create function counted_request_lock(app_id text, key_hash text) returns bigint
language sql immutable
as $$
  select hashtextextended('counted_request ' || app_id || ' ' || key_hash, 0)
$$;

-- Counts verifications with keys, [{app_id, key_hash, fingerprint, action_id, nullifier_hash, protocol,
-- token_id, verification_level, outcomes}], if their key is new. Stores a key and its count together. Returns a row for each key that was
-- counted, now or earlier, and the caller compares the fingerprints. Returns no row for a person who has reached the limit.
--
-- A transaction holds the locks of its keys until it ends, so of concurrent requests with the same key only one is counted.
-- Locks the keys in a fixed order, and then the nullifiers, so that statements never deadlock. If another transaction holds
-- the lock of a key, or is deleting the action, returns no row for the request. With "waits", waits for that transaction.
create function record_requests(requests jsonb, waits boolean default false) returns setof counted_request
language plpgsql volatile
set lock_timeout = '2s'
as $$
declare
  hashes text[] := array(
    select key_hash
    from jsonb_to_recordset(requests) as request (key_hash text)
  );
  locks bigint[] := array(
    select key_lock
    from (
      select distinct counted_request_lock(app_id, key_hash) as key_lock
      from jsonb_to_recordset(requests) as request (app_id text, key_hash text)
      order by key_lock
    ) as needed
    where case
      when waits then pg_advisory_xact_lock(key_lock) is not null
      else pg_try_advisory_xact_lock(key_lock)
    end
  );
  earlier_keys text[];
begin
  -- Each of the following statements sees the rows that were committed before the locks were acquired.
  delete from counted_request
  where counted_request.key_hash = any (hashes)
    and counted_request.created_at <= now() - interval '1 day'
    and counted_request_lock(counted_request.app_id, counted_request.key_hash) = any (locks);
  -- Arrays instead of joins: for a join, PostgreSQL would estimate a hundred requests, and read whole tables.
  earlier_keys := array(
    select counted_request.app_id || ' ' || counted_request.key_hash
    from counted_request
    where counted_request.key_hash = any (hashes)
  );
  insert into counted_request (
    key_hash, app_id, fingerprint, action_id, nullifier_hash, uses, max_uses, verified_at, token_id,
    verification_level, outcomes
  )
  with fresh as materialized (
    select
      request.*,
      row_number() over (partition by request.action_id, request.nullifier_hash) as place
    from (
      select distinct on (app_id, key_hash) *
      from jsonb_to_recordset(requests) as request (
        app_id text,
        key_hash text,
        fingerprint text,
        action_id text,
        nullifier_hash text,
        protocol text,
        token_id text,
        verification_level text,
        outcomes jsonb
      )
      order by app_id, key_hash
    ) as request
    where counted_request_lock(request.app_id, request.key_hash) = any (locks)
      and request.app_id || ' ' || request.key_hash <> all (earlier_keys)
      and request.app_id = (
        select action.app_id
        from action
        where action.id = request.action_id
      )
  ),
  -- A person with several keys is counted several times. The column `place` says which count belongs to which key.
  counted as (
    select
      recorded.*,
      row_number() over (partition by recorded.action_id, recorded.nullifier_hash order by recorded.uses) as place
    from record_nullifiers(
      (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'action_id', fresh.action_id, 'nullifier_hash', fresh.nullifier_hash, 'protocol', fresh.protocol
            )
          ),
          '[]'
        )
        from fresh
      ),
      waits
    ) as recorded
  )
  select
    fresh.key_hash,
    fresh.app_id,
    fresh.fingerprint,
    counted.action_id,
    counted.nullifier_hash,
    counted.uses,
    (
      select action.max_verifications
      from action
      where action.id = counted.action_id
    ),
    counted.created_at,
    fresh.token_id,
    fresh.verification_level,
    fresh.outcomes
  from fresh
  join counted using (action_id, nullifier_hash, place);
  return query
  select counted_request.*
  from counted_request
  where counted_request.key_hash = any (hashes)
    and counted_request.created_at > now() - interval '1 day';
end
$$;

create table answered_request (
  caller text not null check (length(caller) between 1 and 64),
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  lease text not null check (length(lease) <= 64),
  leased_at timestamptz not null default now(),
  is_answered boolean not null default false,
  answer_encrypted text check (length(answer_encrypted) <= 12000),
  primary key (caller, key_hash),
  constraint answered_request_answer_is_of_an_answered_one check (is_answered or answer_encrypted is null)
);
comment on table answered_request is 'A mutation with an idempotency key, and its response';
comment on column answered_request.caller is 'The id of the team or user';
comment on column answered_request.lease is 'The lease of the request that is being processed; only its holder stores the response';
comment on column answered_request.answer_encrypted is 'The encrypted response, since it may contain personal data; null before the response, if it is too long, and if it has a new secret';
create index answered_request_caller_leased_at_idx on answered_request (caller, leased_at);
create index answered_request_leased_at_idx on answered_request (leased_at);
insert into quota (kind, most, description)
values ('answered_request', 10000, 'idempotency keys of mutations in a day');

-- Leases a request to one process if the key is new or the last lease is a day old. A lease without a response ends after a
-- minute. Returns the row with the current lease, which may belong to another process. Returns no row if the caller has used
-- up the quota of keys.
create function lease_request(
  caller text,
  key_hash text,
  fingerprint text,
  lease text
) returns setof answered_request
language sql volatile
as $$
  -- Concurrent requests of a caller wait for each other, so that each counts the committed keys.
  select pg_advisory_xact_lock(hashtextextended('answered_request ' || lease_request.caller, 0));

  insert into answered_request (caller, key_hash, fingerprint, lease)
  select lease_request.caller, lease_request.key_hash, lease_request.fingerprint, lease_request.lease
  where exists (
    select
    from answered_request
    where answered_request.caller = lease_request.caller
      and answered_request.key_hash = lease_request.key_hash
  )
  or (
    select count(*)
    from answered_request
    where answered_request.caller = lease_request.caller
      and answered_request.leased_at > now() - interval '1 day'
  ) < (
    select most
    from quota
    where kind = 'answered_request'
  )
  on conflict (caller, key_hash) do update
  set
    fingerprint = excluded.fingerprint,
    lease = excluded.lease,
    leased_at = now(),
    is_answered = false,
    answer_encrypted = null
  where answered_request.leased_at <= now() - interval '1 day'
    or (not answered_request.is_answered and answered_request.leased_at <= now() - interval '1 minute');

  select answered_request.*
  from answered_request
  where answered_request.caller = lease_request.caller
    and answered_request.key_hash = lease_request.key_hash;
$$;

-- Deletes keys that are more than a day old, the oldest first. Skips keys that another transaction is renewing.
create function remove_old_counted_requests(most integer) returns setof counted_request
language sql volatile
as $$
  delete from counted_request
  where (key_hash, app_id) in (
    select key_hash, app_id
    from counted_request
    where created_at <= now() - interval '1 day'
    order by created_at
    limit most
    for update skip locked
  )
  returning *
$$;
create function remove_old_answered_requests(most integer) returns setof answered_request
language sql volatile
as $$
  delete from answered_request
  where (caller, key_hash) in (
    select caller, key_hash
    from answered_request
    where leased_at <= now() - interval '1 day'
    order by leased_at
    limit most
    for update skip locked
  )
  returning *
$$;
