-- The chains in the configurations of the running instances of the developer API. An instance deletes its rows when it
-- stops; the rows of a crashed instance expire.
create table payment_chain (
  name text not null check (name ~ '^[a-z0-9-]{1,32}$'),
  instance text not null,
  tokens jsonb not null check (jsonb_typeof(tokens) = 'array'),
  expires_at timestamptz not null,
  primary key (name, instance)
);
comment on table payment_chain is 'The chains that running instances of the developer API read payments from';
comment on column payment_chain.tokens is 'The symbols of the tokens that the instance knows on the chain';

-- The chains that callers may enter payments for, with their tokens. Has one row for each chain, and does not show the
-- instances.
create view chain as
select
  payment_chain.name,
  coalesce(jsonb_agg(distinct token order by token) filter (where token is not null), '[]') as tokens
from payment_chain
left join lateral jsonb_array_elements_text(payment_chain.tokens) as token on true
where payment_chain.expires_at > now()
group by payment_chain.name;
comment on view chain is 'The chains from which payments are read now';
comment on column chain.tokens is 'The symbols of the tokens in which payments on the chain are read';

-- Stores the chains that an instance reads, as {name: [token]}. They are valid for two minutes. Deletes the instance's other
-- chains.
create function announce_chains(instance text, chains jsonb) returns setof payment_chain
language sql volatile
as $$
  delete from payment_chain
  where (payment_chain.name, payment_chain.instance) in (
    select payment_chain.name, payment_chain.instance
    from payment_chain
    where expires_at < now()
      or (payment_chain.instance = announce_chains.instance and not chains ? payment_chain.name)
    for update skip locked
  );
  insert into payment_chain (name, instance, tokens, expires_at)
  select chain.key, announce_chains.instance, chain.value, now() + interval '2 minutes'
  from jsonb_each(chains) as chain
  on conflict (name, instance) do update
  set
    tokens = excluded.tokens,
    expires_at = excluded.expires_at
  returning *
$$;

create table transaction (
  id text primary key,
  team_id text not null references team on delete cascade,
  app_id text not null references app on delete cascade,
  type text not null default 'payment'
    check (type in ('payment', 'transaction') or refuse_value('type must be payment or transaction', type)),
  reference text not null
    check (length(reference) between 1 and 128 or refuse_value('reference must have 1 to 128 characters', reference)),
  chain text not null
    check (chain ~ '^[a-z0-9-]{1,32}$' or refuse_value('chain must be the name of a chain, such as worldchain', chain)),
  transaction_hash text not null check (
    transaction_hash ~ '^0x[0-9a-f]{64}$'
    or refuse_value('transaction_hash must be 0x and 64 hex digits', transaction_hash)
  ),
  transaction_id text check (
    transaction_id is null
    or transaction_id ~ '^0x[0-9a-f]{64}$'
    or refuse_value('transaction_id must be 0x and 64 hex digits', transaction_id)
  ),
  token text not null default ''
    check (token ~ '^[A-Z0-9]{0,16}$' or refuse_value('token must be a symbol, such as USDCE', token)),
  token_amount text not null default '' check (
    token_amount ~ '^([1-9][0-9]{0,71})?$'
    or refuse_value('token_amount must be a positive integer as text, with 6 decimals', token_amount)
  ),
  "to" text not null default ''
    check ("to" ~ '^(0x[0-9a-fA-F]{40})?$' or refuse_value('to must be 0x and 40 hex digits', "to")),
  payee text not null generated always as (case when type = 'payment' then lower("to") else '' end) stored,
  expected_from text check (
    expected_from is null
    or expected_from ~ '^0x[0-9a-f]{40}$'
    or refuse_value('expected_from must be 0x and 40 hex digits, or null', expected_from)
  ),
  not_before timestamptz check (
    not_before is null
    or (not_before >= '1970-01-01T00:00Z' and not_before < '10000-01-01T00:00Z')
    or refuse_value('not_before must be a time from 1970 to 9999', not_before::text)
  ),
  transaction_status text not null default 'pending'
    check (transaction_status in ('pending', 'mined', 'failed')),
  failure_reason text check (
    failure_reason in (
      'reverted',
      'unknown_token',
      'no_such_transfer',
      'wrong_sender',
      'too_early',
      'already_used',
      'replaced',
      'dropped',
      'not_found'
    )
  ),
  "from" text not null default '' check ("from" ~ '^(0x[0-9a-f]{40})?$'),
  sender text not null default '' check (sender ~ '^(0x[0-9a-f]{40})?$'),
  "timestamp" timestamptz not null default now(),
  block_timestamp timestamptz,
  nonce bigint,
  block_number bigint,
  block_hash text check (block_hash ~ '^0x[0-9a-f]{64}$'),
  is_final boolean not null default false,
  was_mined boolean not null default false,
  entered_at timestamptz not null default now(),
  seen_at timestamptz,
  checked_at timestamptz,
  due_at timestamptz not null default now(),
  leased_at timestamptz,
  leases integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint transaction_app_id_reference_key unique (app_id, reference),
  constraint transaction_app_id_transaction_id_key unique (app_id, transaction_id),
  constraint transaction_payment_is_complete
    check (
      type <> 'payment'
      or (token <> '' and token_amount <> '' and "to" <> '')
      or refuse_value('a payment must have token, token_amount and to', concat_ws(', ', token, token_amount, "to"))
    ),
  -- A transaction that is no payment has no token and no amount, because nothing would compare these with the chain. Its
  -- "to" is read from the chain.
  constraint transaction_other_has_no_payment
    check (
      type <> 'transaction'
      or (token = '' and token_amount = '' and ("to" = '' or sender <> ''))
      or refuse_value('a transaction that is no payment must not have token, token_amount and to', concat_ws(', ', token, token_amount, "to"))
    ),
  constraint transaction_failure_has_a_reason
    check ((transaction_status = 'failed') = (failure_reason is not null)),
  constraint transaction_pending_is_not_final check (not is_final or transaction_status <> 'pending'),
  constraint transaction_block_has_number_and_hash check ((block_number is null) = (block_hash is null))
);
comment on table transaction is 'A transaction that an app entered, and its status on the chain';
comment on column transaction.reference is 'The app''s identifier of the transaction';
comment on column transaction.transaction_id is 'MiniKit''s id of the transaction, which World App reports instead of the hash; null without one';
comment on column transaction.token_amount is 'An integer as text, with 6 decimals for every token';
comment on column transaction."to" is 'The receiver: for a payment as entered, for other transactions from the chain';
comment on column transaction.payee is 'The receiver of a payment, in lower case';
comment on column transaction.expected_from is 'The expected sender: the address that must have paid the tokens, or sent the transaction; null for any address';
comment on column transaction.not_before is 'The earliest time of the transaction''s block; null for any time';
comment on column transaction."from" is 'The address that paid the tokens, or sent the transaction; empty until the chain shows it';
comment on column transaction.sender is 'The address that sent the transaction; empty until the chain shows it';
comment on column transaction."timestamp" is 'When the app entered the transaction';
comment on column transaction.block_timestamp is 'The time of the transaction''s block; null while no block has the transaction';
comment on column transaction.nonce is 'The sender''s nonce of the transaction; another transaction with the same nonce replaces it';
comment on column transaction.is_final is 'True once the block is as deep in the chain as the configuration requires; then the status never changes';
comment on column transaction.was_mined is 'True if a block contained the payment at any time, so the row can no longer be corrected or removed';
comment on column transaction.entered_at is 'When the transaction was entered, or corrected last';
comment on column transaction.seen_at is 'When the chain last knew the transaction';
comment on column transaction.due_at is 'When the status is read next, unless the row is leased';
comment on column transaction.leases is 'The number of leases; a result of an earlier lease is ignored';
-- Within a team, a transaction pays for only one reference for each receiver. Rows that expect different senders may be
-- pending at the same time, because a row that will fail must not block the others. At most one of these rows is mined.
create unique index transaction_pays_one_reference_key
on transaction (team_id, chain, transaction_hash, type, payee, coalesce(expected_from, ''))
where transaction_status <> 'failed';
create unique index transaction_mined_pays_one_reference_key
on transaction (team_id, chain, transaction_hash, type, payee)
where transaction_status = 'mined';
create index transaction_app_id_transaction_hash_idx on transaction (app_id, transaction_hash);
create index transaction_team_id_idx on transaction (team_id)
where transaction_status = 'pending';
create index transaction_chain_due_at_idx on transaction (chain, due_at)
where not is_final;
-- For the metric of the oldest pending transaction, which is read every few seconds.
create index transaction_transaction_status_created_at_idx on transaction (transaction_status, created_at);
create trigger set_id before insert on transaction
for each row execute function set_id('txn');
create trigger set_updated_at before update on transaction
for each row execute function set_updated_at();
create trigger require_app_editor before insert on transaction
for each row execute function require_app_editor();

-- Keeps a record of corrections, and of removed rows. The service changes other columns, and a deleted app or team deletes
-- its rows in a trigger: these changes have no record.
create trigger record_correction after update on transaction
for each row when (
  (old.reference, old.chain, old.transaction_hash, old.transaction_id, old.token, old.token_amount, old.payee, old.expected_from, old.not_before)
    is distinct from
    (new.reference, new.chain, new.transaction_hash, new.transaction_id, new.token, new.token_amount, new.payee, new.expected_from, new.not_before)
)
execute function record_in_audit(
  'reference', 'chain', 'transaction_hash', 'transaction_id', 'token', 'token_amount', 'to', 'expected_from', 'not_before'
);
create trigger record_removal after delete on transaction
for each row when (pg_trigger_depth() = 0)
execute function record_in_audit(
  'app_id', 'reference', 'chain', 'transaction_hash', 'transaction_id', 'token', 'token_amount', 'to', 'expected_from', 'not_before'
);

-- Sets the team from the app, and stores hashes, ids and senders in lower case.
create function complete_transaction() returns trigger
language plpgsql
as $$
begin
  new.team_id := (
    select team_id
    from app
    where id = new.app_id
  );
  new.transaction_hash := lower(new.transaction_hash);
  new.transaction_id := lower(new.transaction_id);
  new.expected_from := lower(new.expected_from);
  return new;
end
$$;
create trigger complete_transaction before insert on transaction
for each row execute function complete_transaction();

-- Reads the status of a corrected payment again from the start. Results for an earlier lease are about the row before the correction,
-- so they are ignored.
create function restart_corrected_transaction() returns trigger
language plpgsql
as $$
begin
  new.transaction_hash := lower(new.transaction_hash);
  new.transaction_id := lower(new.transaction_id);
  new.expected_from := lower(new.expected_from);
  if
    (old.chain, old.transaction_hash, old.token, old.token_amount, lower(old."to"), old.expected_from, old.not_before)
    is distinct from
    (new.chain, new.transaction_hash, new.token, new.token_amount, lower(new."to"), new.expected_from, new.not_before)
  then
    new."from" := '';
    new.sender := '';
    new.nonce := null;
    new.seen_at := null;
    new.checked_at := null;
    new.leased_at := null;
    new.leases := old.leases + 1;
    new.entered_at := now();
    new.due_at := now();
  end if;
  return new;
end
$$;
create trigger restart_corrected_transaction before update
of reference, chain, transaction_hash, transaction_id, token, token_amount, "to", expected_from, not_before on transaction
for each row when (old.type = 'payment' and old.transaction_status = 'pending')
execute function restart_corrected_transaction();

-- Notes that a block contained the payment.
create function note_mined_transaction() returns trigger
language plpgsql
as $$
begin
  new.was_mined := true;
  return new;
end
$$;
create trigger note_mined_transaction before insert or update on transaction
for each row when (new.transaction_status = 'mined' and not new.was_mined)
execute function note_mined_transaction();

-- Refuses transactions through GraphQL on a chain that no instance reads, and payments in a token that no instance knows on
-- the chain. Other rules refuse a text that cannot be a token.
create function require_payment_chain() returns trigger
language plpgsql
as $$
declare
  tokens jsonb;
begin
  if coalesce(current_setting('hasura.user', true), '') = '' then
    return new;
  end if;
  select chain.tokens
  into tokens
  from chain
  where name = new.chain;
  if tokens is null then
    raise exception 'no payments are read from this chain'
      using errcode = 'check_violation';
  end if;
  if new.type = 'payment' and new.token ~ '^[A-Z0-9]{1,16}$' and not tokens ? new.token then
    raise exception 'token must be a token of the chain % (%); got %', new.chain, (
      select coalesce(string_agg(token, ', '), 'none')
      from jsonb_array_elements_text(tokens) as token
    ), new.token
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger require_payment_chain before insert on transaction
for each row execute function require_payment_chain();
create trigger require_payment_chain_of_correction before update on transaction
for each row when ((old.chain, old.token) is distinct from (new.chain, new.token))
execute function require_payment_chain();

-- Sets a row to "failed" if another row of the team already uses the transaction. This happens when the transaction of a
-- failed row is found on the chain after all, or when a row with another expected sender was mined first. The row can
-- recover when the other row fails, so its status is final only once the other row's status is final.
create function fail_if_used() returns trigger
language plpgsql
as $$
declare
  is_use_final boolean;
begin
  select bool_or(other.is_final)
  into is_use_final
  from transaction as other
  where other.transaction_status <> 'failed'
    and other.team_id = new.team_id
    and other.chain = new.chain
    and other.transaction_hash = new.transaction_hash
    and other.type = new.type
    and other.payee = old.payee
    and other.id <> new.id
    and (
      other.expected_from is not distinct from new.expected_from
      or (other.transaction_status = 'mined' and new.transaction_status = 'mined')
    );
  if is_use_final is not null then
    new.transaction_status := 'failed';
    new.failure_reason := 'already_used';
    new.is_final := new.is_final and is_use_final;
  end if;
  return new;
end
$$;
create trigger fail_if_used before update on transaction
for each row when (
  new.transaction_status <> 'failed'
  and new.transaction_status <> old.transaction_status
)
execute function fail_if_used();

create trigger keep_final_status before update on transaction
for each row when (
  old.is_final
  and (old.is_final, old.transaction_status, old.failure_reason)
    is distinct from (new.is_final, new.transaction_status, new.failure_reason)
)
execute function refuse_change('a final status');

-- Leases a batch of transactions of a chain that are due now, or were due at "before". A lease lasts 45 seconds, and the
-- caller must store the results within this time. Concurrent callers skip locked rows, so that they do not wait and do not
-- get the same transaction. Teams take turns, so that a team with many transactions does not delay other teams.
create function lease_transactions(
  chain text,
  batch integer,
  before timestamptz default null
) returns setof transaction
language sql volatile
as $$
  update transaction
  set
    leased_at = now(),
    leases = leases + 1
  where id = any (array(
    select id
    from transaction
    where id = any (array(
      select due.id
      from (
        select id, due_at, row_number() over (partition by team_id order by due_at) as turn
        from (
          select id, team_id, due_at
          from transaction
          where transaction.chain = lease_transactions.chain
            and not is_final
            and due_at <= coalesce(before, now())
            and (leased_at is null or leased_at < now() - interval '45 seconds')
          order by due_at
          limit batch * 100
        ) as longest_due
      ) as due
      order by due.turn, due.due_at
      limit batch
    ))
      and not is_final
      and (leased_at is null or leased_at < now() - interval '45 seconds')
    for update skip locked
  ))
  returning *
$$;

-- Leases one transaction, even if it is not due. Returns no row if the transaction is leased already, or if its status is
-- final or was read less than max_age_seconds ago.
create function lease_transaction(id text, max_age_seconds integer) returns setof transaction
language sql volatile
as $$
  update transaction
  set
    leased_at = now(),
    leases = leases + 1
  where transaction.id = lease_transaction.id
    and not is_final
    and (leased_at is null or leased_at < now() - interval '45 seconds')
    and (checked_at is null or checked_at <= now() - make_interval(secs => max_age_seconds))
  returning *
$$;

-- Stores the results for leased transactions, and ends the leases. Ignores results that belong to an earlier lease, and
-- results for a final transaction. In the ten minutes after it was entered, a transaction is due again at once. Later it is
-- due after a twentieth of the time since these ten minutes, and at the latest after ten minutes. Several rows may compete
-- for the same transaction: concurrent calls for these rows wait for each other, so that each sees the other's result.
create function store_sightings(sightings jsonb) returns setof transaction
language plpgsql volatile
as $$
declare
  -- An array instead of a join: for a join, PostgreSQL would estimate a hundred sightings, and read the whole table.
  ids text[] := array(
    select sighting ->> 'id'
    from jsonb_array_elements(sightings) as sighting
  );
begin
  perform pg_advisory_xact_lock(contested.slot)
  from (
    select distinct
      hashtextextended(concat_ws(' ', team_id, chain, transaction_hash, type, payee), 0) as slot
    from transaction
    where id = any (ids)
      and exists (
        select
        from transaction as other
        where other.transaction_status <> 'failed'
          and other.team_id = transaction.team_id
          and other.chain = transaction.chain
          and other.transaction_hash = transaction.transaction_hash
          and other.type = transaction.type
          and other.payee = transaction.payee
          and other.id <> transaction.id
      )
    order by slot
  ) as contested;
  return query
    update transaction
    set
      transaction_status = sighting.transaction_status,
      failure_reason = sighting.failure_reason,
      "from" = sighting."from",
      "to" = sighting."to",
      sender = sighting.sender,
      block_timestamp = sighting.block_timestamp,
      nonce = sighting.nonce,
      block_number = sighting.block_number,
      block_hash = sighting.block_hash,
      is_final = sighting.is_final,
      seen_at = case when sighting.is_known then now() else transaction.seen_at end,
      checked_at = now(),
      leased_at = null,
      due_at = now() + least(
        greatest(now() - transaction.entered_at - interval '10 minutes', interval '0') / 20,
        interval '10 minutes'
      )
    from jsonb_to_recordset(sightings) as sighting (
      id text,
      leases integer,
      transaction_status text,
      failure_reason text,
      "from" text,
      "to" text,
      sender text,
      block_timestamp timestamptz,
      nonce bigint,
      block_number bigint,
      block_hash text,
      is_final boolean,
      is_known boolean
    )
    where transaction.id = sighting.id
      and transaction.leases = sighting.leases
      and not transaction.is_final
    returning transaction.*;
end
$$;
