-- The one statement that counts: however many callers race, a person gets at most max_verifications
-- rows out of it. No row means that the limit is reached (or that the action is gone or inactive).
create or replace function record_nullifier(action_id text, nullifier_hash text) returns setof nullifier
language sql volatile
as $$
  insert into nullifier (action_id, nullifier_hash)
  select action.id, record_nullifier.nullifier_hash
  from action
  where action.id = record_nullifier.action_id
    and action.status = 'active'
  on conflict on constraint nullifier_action_id_nullifier_hash_key do update
  set uses = nullifier.uses + 1
  where exists (
    select
    from action
    where action.id = excluded.action_id
      and (action.max_verifications = 0 or nullifier.uses < action.max_verifications)
  )
  returning *
$$;
