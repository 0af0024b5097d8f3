drop function record_nullifiers(jsonb, boolean);
drop function record_nullifier(text, text);
drop table nullifier;
