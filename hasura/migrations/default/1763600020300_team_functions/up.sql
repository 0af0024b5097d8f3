-- What the Hasura actions do. Each asks in the statement that changes something whether the user may:
-- no row means that they may not, or that there is nothing to change. Whoever lost a role a moment ago
-- has lost it here.

create function is_owner(user_id text, team_id text) returns boolean
language sql stable
as $$
  select exists (
    select
    from membership
    where membership.user_id = is_owner.user_id
      and membership.team_id = is_owner.team_id
      and membership.role = 'OWNER'
  )
$$;

create function create_team(user_id text, name text) returns setof team
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

create function create_api_key(user_id text, team_id text, id text, name text, secret_hash text) returns setof api_key
language sql volatile
as $$
  insert into api_key (id, team_id, name, secret_hash)
  select create_api_key.id, create_api_key.team_id, create_api_key.name, create_api_key.secret_hash
  where is_owner(create_api_key.user_id, create_api_key.team_id)
  returning *
$$;

-- A key that is revoked stays so: a new secret does not wake it.
create function reset_api_key(user_id text, id text, secret_hash text) returns setof api_key
language sql volatile
as $$
  update api_key
  set secret_hash = reset_api_key.secret_hash
  where api_key.id = reset_api_key.id
    and api_key.is_active
    and is_owner(reset_api_key.user_id, api_key.team_id)
  returning *
$$;

-- Invites those of the addresses [text] that are not members; who is invited already gets more time,
-- and another message unless they had one within the hour. A team invites a hundred a day: addresses
-- beyond that are left out.
create function invite_team_members(user_id text, team_id text, emails jsonb) returns setof invite
language plpgsql volatile
as $$
declare
  invited_today bigint;
begin
  -- One caller at a time, so that the day's invites are counted right.
  perform from team where team.id = invite_team_members.team_id for update;
  select count(*) into invited_today
  from audit
  where audit.team_id = invite_team_members.team_id
    and audit.created_at > now() - interval '1 day'
    and audit.subject = 'invite'
    and audit.operation = 'insert';
  return query
  with invited as (
    insert into invite as known (team_id, email)
    select invite_team_members.team_id, address
    from jsonb_array_elements_text(emails) with ordinality as given (address, place)
    where is_owner(invite_team_members.user_id, invite_team_members.team_id)
      and not exists (
        select
        from membership
        join "user" on "user".id = membership.user_id
        where membership.team_id = invite_team_members.team_id
          and "user".email = address
      )
    group by address
    order by min(place)
    limit greatest(0, 100 - invited_today)
    on conflict on constraint invite_team_id_email_key do update
    set expires_at = excluded.expires_at
    returning known.*
  ),
  queued as (
    insert into mail (kind, invite_id)
    select 'invite', invited.id
    from invited
    where not exists (
        select
        from mail
        where mail.invite_id = invited.id
          and mail.created_at > now() - interval '1 hour'
      )
      -- An invite that was taken back took its messages along.
      and not exists (
        select
        from audit
        where audit.team_id = invite_team_members.team_id
          and audit.created_at > now() - interval '1 hour'
          and audit.subject = 'invite'
          and audit.operation = 'insert'
          and audit.changes #>> '{email,new}' = invited.email
          and audit.subject_id <> invited.id
      )
  )
  select * from invited;
end
$$;

-- Uses an invite up for the person whose verified address it was sent to; of two who try, one waits for
-- the other's deletion and then finds nothing. With a user, it must be theirs.
create function accept_invite(token_hash text, user_id text default null) returns setof membership
language sql volatile
as $$
  with used as (
    delete from invite
    using invite_token, "user"
    where invite_token.token_hash = accept_invite.token_hash
      and invite.id = invite_token.invite_id
      and invite.expires_at > now()
      and "user".email = invite.email
      and "user".email_verified_at is not null
      and "user".id = coalesce(accept_invite.user_id, "user".id)
    returning invite.team_id, invite.role, "user".id as user_id
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
create function delete_account(user_id text) returns setof "user"
language plpgsql volatile
as $$
declare
  alone text[];
begin
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
