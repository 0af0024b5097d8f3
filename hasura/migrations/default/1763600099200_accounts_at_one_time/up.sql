-- Uses an invite up for the person whose verified address it was sent to; of two who try, one waits for
-- the other's deletion and then finds nothing. With a user, it must be theirs. An account or a team that
-- is deleted in the same moment is waited for before the invite is touched, in the order in which
-- delete_account takes them.
create or replace function accept_invite(token_hash text, user_id text default null) returns setof membership
language sql volatile
as $$
  with invited as (
    select invite.id as invite_id, invite.team_id, "user".id as user_id
    from invite_token
    join invite on invite.id = invite_token.invite_id
    join "user" on "user".email = invite.email
    where invite_token.token_hash = accept_invite.token_hash
      and invite.expires_at > now()
      and "user".email_verified_at is not null
      and "user".id = coalesce(accept_invite.user_id, "user".id)
    for key share of "user"
  ),
  joining as (
    select invited.*
    from invited
    join team on team.id = invited.team_id
    for key share of team
  ),
  used as (
    delete from invite
    using joining
    where invite.id = joining.invite_id
    returning invite.team_id, invite.role, joining.user_id
  )
  insert into membership as known (team_id, user_id, role)
  select team_id, user_id, role from used
  on conflict on constraint membership_user_id_team_id_key do update
  set role = known.role
  returning *
$$;

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

  -- In one order, so that two members of the same teams do not wait for each other in a circle.
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
  update api_key set is_active = false where team_id = any (alone) and is_active;
  update app set is_archived = true where team_id = any (alone) and not is_archived;
  delete from invite where team_id = any (alone);
  return query delete from "user" where id = delete_account.user_id returning *;
end
$$;
