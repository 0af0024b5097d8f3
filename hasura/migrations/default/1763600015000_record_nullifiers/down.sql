drop function record_nullifiers(jsonb);
