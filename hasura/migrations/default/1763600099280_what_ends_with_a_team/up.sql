-- What ends with a team stays ended: a request that was let in before may still make an app, or bring an app or
-- a key back.
create function end_with_team() returns trigger
language plpgsql
as $$
begin
  -- Who makes a row waits for a deletion under way; who changes one has what that deletion waits for.
  if tg_op = 'INSERT' then
    perform from team where id = new.team_id for key share;
  end if;
  if exists (select from team where id = new.team_id and deleted_at is not null) then
    if tg_table_name = 'app' then
      new.is_archived := true;
    else
      new.is_active := false;
    end if;
  end if;
  return new;
end
$$;
create trigger end_with_team before insert or update of is_archived on app for each row
  when (not new.is_archived) execute function end_with_team();
create trigger end_with_team before insert or update of is_active on api_key for each row
  when (new.is_active) execute function end_with_team();

-- Deletes a person. Teams that nobody else is in end with them: keys are revoked, apps archived, and
-- what was counted stays, or people could be counted again. No row means that some team would lose
-- its last owner.
create or replace function delete_account(user_id text) returns setof "user"
language plpgsql volatile
as $$
declare
  alone text[];
begin
  -- Who asks a second time waits here for the first, and has what they asked for.
  perform from "user" where id = delete_account.user_id for update;
  if not found then
    return query
    select gone.*
    from jsonb_populate_record(null::"user", jsonb_build_object('id', delete_account.user_id)) as gone;
    return;
  end if;

  -- Memberships before teams, as who changes a role does: that locks the row, then the team to see who is
  -- left. And each in one order, so that two who do the same do not wait for each other in a circle.
  perform
  from membership
  where membership.user_id = delete_account.user_id
  order by team_id
  for update;
  perform
  from team
  where id in (select membership.team_id from membership where membership.user_id = delete_account.user_id)
  order by id
  for update;

  select array_agg(mine.team_id) into alone
  from membership as mine
  where mine.user_id = delete_account.user_id
    and not exists (
      select
      from membership as other
      where other.team_id = mine.team_id
        and other.user_id <> mine.user_id
    );
  if exists (
    select
    from membership as mine
    where mine.user_id = delete_account.user_id
      and mine.role = 'OWNER'
      and mine.team_id <> all (coalesce(alone, '{}'))
      and not exists (
        select
        from membership as other
        where other.team_id = mine.team_id
          and other.user_id <> mine.user_id
          and other.role = 'OWNER'
      )
  ) then
    return;
  end if;

  update team set deleted_at = now() where id = any (alone);
  -- All of them, so that who brings one back in the same moment is waited for.
  update api_key set is_active = false where team_id = any (alone);
  update app set is_archived = true where team_id = any (alone);
  delete from invite where team_id = any (alone);
  return query delete from "user" where id = delete_account.user_id returning *;
end
$$;
