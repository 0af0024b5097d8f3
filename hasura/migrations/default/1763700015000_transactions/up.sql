create table transaction (
  id text primary key,
  app_id text not null references app on delete cascade,
  type text not null default 'payment' check (type in ('payment', 'transaction')),
  reference text not null check (length(reference) between 1 and 128),
  chain text not null check (chain ~ '^[a-z0-9-]{1,32}$'),
  transaction_hash text not null check (transaction_hash ~ '^0x[0-9a-f]{64}$'),
  token text not null default '' check (token ~ '^[A-Z0-9]{0,16}$'),
  token_amount text not null default '' check (token_amount ~ '^([1-9][0-9]{0,71})?$'),
  "to" text not null default '' check ("to" ~ '^(0x[0-9a-fA-F]{40})?$'),
  transaction_status text not null default 'pending'
    check (transaction_status in ('pending', 'mined', 'failed')),
  failure_reason text check (
    failure_reason in ('reverted', 'no_such_transfer', 'unknown_token', 'replaced', 'dropped', 'not_found')
  ),
  "from" text not null default '' check ("from" ~ '^(0x[0-9a-f]{40})?$'),
  "timestamp" timestamptz not null default now(),
  nonce bigint,
  block_number bigint,
  block_hash text check (block_hash ~ '^0x[0-9a-f]{64}$'),
  is_final boolean not null default false,
  seen_at timestamptz,
  checked_at timestamptz,
  due_at timestamptz not null default now(),
  claimed_at timestamptz,
  claims integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint transaction_app_id_reference_key unique (app_id, reference),
  constraint transaction_app_id_transaction_hash_type_key unique (app_id, transaction_hash, type),
  constraint transaction_payment_is_complete
    check (type <> 'payment' or (token <> '' and token_amount <> '' and "to" <> '')),
  constraint transaction_failure_has_a_reason
    check ((transaction_status = 'failed') = (failure_reason is not null)),
  constraint transaction_pending_is_not_final check (not is_final or transaction_status <> 'pending'),
  constraint transaction_block_has_number_and_hash check ((block_number is null) = (block_hash is null))
);
comment on table transaction is 'What an app says was sent to a chain, and what the chain says about it';
comment on column transaction.reference is 'The app''s own identifier';
comment on column transaction.token_amount is 'An integer in text, with 6 decimals whatever the token has';
comment on column transaction."from" is 'The sender, as the chain says; empty until then';
comment on column transaction."timestamp" is 'When it was entered; once it is in a block, the time of that block';
comment on column transaction.nonce is 'The sender''s number for it: another transaction with this number replaces it';
comment on column transaction.is_final is 'As deep in the chain as the configuration asks: it is never looked up again';
comment on column transaction.seen_at is 'When the chain last knew it';
comment on column transaction.due_at is 'When it is next looked up, unless it is claimed';
comment on column transaction.claims is 'Counts the claims: a result found under an earlier claim is refused';
-- One transaction on a chain pays for one reference, of whichever app.
create unique index transaction_payment_hash_key on transaction (transaction_hash, chain)
where type = 'payment';
create index transaction_chain_due_at_idx on transaction (chain, due_at)
where not is_final;
-- For the metric of how long the oldest transaction has been pending, which is read every few seconds.
create index transaction_transaction_status_created_at_idx on transaction (transaction_status, created_at);
create trigger set_id before insert on transaction
for each row execute function set_id('txn');
create trigger set_updated_at before update on transaction
for each row execute function set_updated_at();
create trigger require_app_editor before insert on transaction
for each row execute function require_app_editor();

-- Hashes are stored in lower case, so that one transaction has one spelling.
create function set_transaction_hash() returns trigger
language plpgsql
as $$
begin
  new.transaction_hash := lower(new.transaction_hash);
  return new;
end
$$;
create trigger set_transaction_hash before insert on transaction
for each row execute function set_transaction_hash();

create trigger keep_final_status before update on transaction
for each row when (
  old.is_final
  and (old.is_final, old.transaction_status, old.failure_reason)
    is distinct from (new.is_final, new.transaction_status, new.failure_reason)
)
execute function refuse_change('a final status');

-- Claims a batch of transactions of a chain that are due now, or, with "before", were due by that time. The caller
-- has 45 seconds to store what the chain knows of them; after that they may be claimed again. Callers skip rows that
-- others have locked, so that they neither wait for each other nor get the same transaction.
create function claim_transactions(
  chain text,
  batch integer,
  before timestamptz default null
) returns setof transaction
language sql volatile
as $$
  update transaction
  set
    claimed_at = now(),
    claims = claims + 1
  where id = any (array(
    select id
    from transaction
    where transaction.chain = claim_transactions.chain
      and not is_final
      and due_at <= coalesce(before, now())
      and (claimed_at is null or claimed_at < now() - interval '45 seconds')
    order by due_at
    limit batch
    for update skip locked
  ))
  returning *
$$;

-- Claims one transaction, whether it is due or not. No row means that it is final, was looked up less than
-- max_age_seconds ago, or is claimed by somebody else.
create function claim_transaction(id text, max_age_seconds integer) returns setof transaction
language sql volatile
as $$
  update transaction
  set
    claimed_at = now(),
    claims = claims + 1
  where transaction.id = claim_transaction.id
    and not is_final
    and (claimed_at is null or claimed_at < now() - interval '45 seconds')
    and (checked_at is null or checked_at <= now() - make_interval(secs => max_age_seconds))
  returning *
$$;

-- Stores what was found of claimed transactions, and releases them. What was found under an earlier claim, or of a
-- final transaction, changes nothing. In its first ten minutes a transaction is due again at once, then after a
-- twentieth of the time since, at most ten minutes.
create function store_sightings(sightings jsonb) returns setof transaction
language sql volatile
as $$
  update transaction
  set
    transaction_status = sighting.transaction_status,
    failure_reason = sighting.failure_reason,
    "from" = sighting."from",
    "timestamp" = coalesce(sighting."timestamp", transaction.created_at),
    nonce = sighting.nonce,
    block_number = sighting.block_number,
    block_hash = sighting.block_hash,
    is_final = sighting.is_final,
    seen_at = case when sighting.is_known then now() else transaction.seen_at end,
    checked_at = now(),
    claimed_at = null,
    due_at = now() + least(
      greatest(now() - transaction.created_at - interval '10 minutes', interval '0') / 20,
      interval '10 minutes'
    )
  from jsonb_to_recordset(sightings) as sighting (
    id text,
    claims integer,
    transaction_status text,
    failure_reason text,
    "from" text,
    "timestamp" timestamptz,
    nonce bigint,
    block_number bigint,
    block_hash text,
    is_final boolean,
    is_known boolean
  )
  where transaction.id = sighting.id
    and transaction.claims = sighting.claims
    and not transaction.is_final
  returning transaction.*
$$;
