drop function store_sightings;
drop function claim_transaction;
drop function claim_transactions;
drop table transaction;
drop function set_transaction_hash;
