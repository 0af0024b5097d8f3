drop trigger keep_protocol on action;
drop function keep_protocol();
drop function record_nullifiers(jsonb, boolean);
drop function record_nullifier(text, text, text);
drop function action_uses(action, jsonb);
drop function nullifier_id(nullifier);
drop table nullifier;
