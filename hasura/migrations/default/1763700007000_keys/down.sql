drop function store_next_key(text, jsonb, text, timestamptz, timestamptz);
drop table jwks;
drop table api_key;
