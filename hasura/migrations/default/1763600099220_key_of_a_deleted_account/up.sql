-- An account that is deleted in the same moment is waited for, and makes no key.
create or replace function create_api_key(user_id text, team_id text, id text, name text, secret_hash text) returns setof api_key
language sql volatile
as $$
  with creator as (
    select "user".id from "user" where "user".id = create_api_key.user_id for key share
  )
  insert into api_key (id, team_id, name, secret_hash)
  select create_api_key.id, create_api_key.team_id, create_api_key.name, create_api_key.secret_hash
  from creator
  where is_owner(creator.id, create_api_key.team_id)
  returning *
$$;
