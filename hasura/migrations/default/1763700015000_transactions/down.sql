drop function store_sightings(jsonb);
drop function claim_transaction(text, integer);
drop function claim_transactions(text, integer, timestamptz);
drop table transaction;
drop function set_transaction_hash();
