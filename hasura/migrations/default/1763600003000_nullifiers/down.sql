drop function record_nullifier(text, text);
drop table nullifier;
