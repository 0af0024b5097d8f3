-- Counts verifications that came together, [{action_id, nullifier_hash}], in one statement and one
-- commit: a row for each that was counted, none for one whose limit is reached. In the order of their
-- keys, so that two instances with the same people never wait for each other in a circle.
create function record_nullifiers(verifications jsonb) returns setof nullifier
language sql volatile
as $$
  select recorded.*
  from (
    select action_id, nullifier_hash
    from jsonb_to_recordset(verifications) as verification (action_id text, nullifier_hash text)
    order by action_id, nullifier_hash
  ) as verification
  cross join lateral record_nullifier(verification.action_id, verification.nullifier_hash) as recorded
$$;
