drop function store_sightings(jsonb);
drop function claim_transaction(text, integer);
drop function claim_transactions(text, integer, timestamptz);
drop table transaction;
drop function fail_if_used();
drop function require_payment_chain();
drop function complete_transaction();
drop function announce_chains(text, jsonb);
drop table payment_chain;
