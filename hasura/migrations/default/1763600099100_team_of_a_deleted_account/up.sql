-- An account that is deleted in the same moment is waited for, and makes no team.
create or replace function create_team(user_id text, name text) returns setof team
language sql volatile
as $$
  with creator as (
    select id from "user" where "user".id = create_team.user_id for key share
  ),
  new_team as (
    insert into team (name) select create_team.name from creator returning *
  ),
  new_membership as (
    insert into membership (team_id, user_id, role)
    select new_team.id, creator.id, 'OWNER' from new_team cross join creator
  )
  select * from new_team
$$;
