-- How long the oldest transaction has been pending is asked every few seconds.
create index transaction_transaction_status_created_at_idx on transaction (transaction_status, created_at);
