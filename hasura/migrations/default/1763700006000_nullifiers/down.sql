drop function record_nullifiers(jsonb);
drop function record_nullifier(text, text);
drop table nullifier;
