create or replace function create_team(user_id text, name text) returns setof team
language sql volatile
as $$
  with new_team as (
    insert into team (name) values (create_team.name) returning *
  ),
  new_membership as (
    insert into membership (team_id, user_id, role)
    select new_team.id, create_team.user_id, 'OWNER' from new_team
  )
  select * from new_team
$$;
