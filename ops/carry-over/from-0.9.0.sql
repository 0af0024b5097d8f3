-- Adapts the rows of version 0.9.0, which ops/carry-over/set-aside.sql has moved into the schema "earlier", to the tables
-- of this version. ops/carry-over/copy-rows.sql reads a view of the schema "adapted" instead of the table with the same name.
-- The earlier tables stay unchanged, so ops/carry-over/undo.sql restores them. Instructions: docs/operations/upgrade.md.
-- Run it as superuser.

begin;
create schema adapted;

-- This version stores the team of a transaction, and calls a worker's reservation a lease. Only payments have a token and an
-- amount; the "to" of other transactions comes from the chain, so it is empty until this version has read the chain.
create view adapted.transaction as
select
  transaction.id,
  app.team_id,
  transaction.app_id,
  transaction.type,
  transaction.reference,
  transaction.chain,
  transaction.transaction_hash,
  case when transaction.type = 'payment' then transaction.token else '' end as token,
  case when transaction.type = 'payment' then transaction.token_amount else '' end as token_amount,
  case when transaction.type = 'payment' then transaction."to" else '' end as "to",
  transaction.transaction_status,
  transaction.failure_reason,
  transaction."from",
  transaction."from" as sender,
  -- 0.9.0 changed "timestamp" to the time of the block once it knew the block. This version has a column for each time.
  transaction.created_at as "timestamp",
  case when transaction.block_hash is not null then transaction."timestamp" end as block_timestamp,
  transaction.nonce,
  transaction.block_number,
  transaction.block_hash,
  transaction.is_final,
  transaction.seen_at,
  transaction.checked_at,
  transaction.due_at,
  transaction.claimed_at as leased_at,
  transaction.claims as leases,
  transaction.created_at,
  transaction.updated_at
from earlier.transaction
join earlier.app on app.id = transaction.app_id;

-- An invite cannot make an owner any more. Such an invite makes an admin, whom an owner can promote.
create view adapted.invite as
select
  id,
  team_id,
  email,
  case when role = 'OWNER' then 'ADMIN' else role end as role,
  expires_at,
  created_at,
  updated_at
from earlier.invite;

-- This version refuses redirects to other names of the local machine, and redirects with an empty query.
create view adapted.redirect as
select *
from earlier.redirect
where redirect_uri !~* '^https://([^/:?]*\.)?(localhost[46]|localdomain[46]?|(ip6-)?loopback|ip6-localhost)\.?([:/?]|$)'
  and redirect_uri !~ '^[^?]*\?$';
commit;
