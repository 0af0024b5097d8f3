create or replace function create_api_key(user_id text, team_id text, id text, name text, secret_hash text) returns setof api_key
language sql volatile
as $$
  insert into api_key (id, team_id, name, secret_hash)
  select create_api_key.id, create_api_key.team_id, create_api_key.name, create_api_key.secret_hash
  where is_owner(create_api_key.user_id, create_api_key.team_id)
  returning *
$$;
