-- A unique constraint is checked before the permission to insert is, so the kind of error would tell who
-- names an app what it has. Members may insert nothing, and are not shown an app's redirects: they are
-- refused first as well. Hasura says in hasura.user who acts.
create or replace function refuse_other_teams() returns trigger
language plpgsql
as $$
declare
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
begin
  if session ->> 'x-hasura-role' in ('user', 'api_key') and not exists (
    select
    from app
    where app.id = new.app_id
      and (
        app.team_id = session ->> 'x-hasura-team-id'
        or exists (
          select
          from membership
          where membership.team_id = app.team_id
            and membership.user_id = session ->> 'x-hasura-user-id'
            and membership.role in ('OWNER', 'ADMIN')
        )
      )
  ) then
    raise exception 'the caller has no such app' using errcode = 'check_violation';
  end if;
  return new;
end
$$;
