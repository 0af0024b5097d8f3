-- The functions behind the Hasura actions of teams. The statement that makes a change also checks the permission, so that a
-- role or key that was just removed has no effect. The functions return no row if the caller may not make the change, or if
-- there is nothing to change. They take locks in the order of …_teams_and_users.

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

-- True if an API key belongs to the team and is active.
create function is_team_key(api_key_id text, team_id text) returns boolean
language sql stable
as $$
  select exists (
    select
    from api_key
    where api_key.id = is_team_key.api_key_id
      and api_key.team_id = is_team_key.team_id
      and api_key.is_active
  )
$$;

-- Creates a team that the user owns. The key share lock waits for a transaction that is deleting the account. If that
-- transaction commits, no team is created.
create function create_team(user_id text, name text) returns setof team
language sql volatile
as $$
  with creator as (
    select id
    from "user"
    where "user".id = create_team.user_id
    for key share
  ),
  new_team as (
    insert into team (name)
    select create_team.name
    from creator
    returning *
  ),
  new_membership as (
    insert into membership (team_id, user_id, role)
    select new_team.id, creator.id, 'OWNER'
    from new_team
    cross join creator
  )
  select *
  from new_team
$$;

-- Deletes a team, ends all memberships, and queues a message for the other verified members. The user must be an owner.
-- Locks memberships first, like delete_account, in the order of their users, so that two calls never deadlock.
create function delete_team(user_id text, team_id text) returns setof team
language plpgsql volatile
as $$
declare
  members text[];
begin
  loop
    begin
      select array_agg(locked.id)
      into members
      from (
        select id
        from membership
        where membership.team_id = delete_team.team_id
          and is_owner(delete_team.user_id, delete_team.team_id)
        order by membership.user_id
        for update
      ) as locked;
      perform
      from team
      where team.id = delete_team.team_id
        and members is not null
      for update;
      exit when not exists (
        select
        from membership
        where membership.team_id = delete_team.team_id
          and membership.id <> all (members)
      );
      -- A user joined before the team was locked. A transaction that has locked this membership may be waiting for the
      -- team, so this releases all locks and starts again.
      raise exception using errcode = 'JOIN1', message = 'a user joined the team';
    exception
      when sqlstate 'JOIN1' then
        null;
    end;
  end loop;
  -- Checks the role again: with the lock, no other transaction can change it. Without members, nothing is locked.
  if members is null or not is_owner(delete_team.user_id, delete_team.team_id) then
    return;
  end if;
  perform close_teams(array[delete_team.team_id]);
  -- Skips accounts that are being deleted: their deletion waits for a membership that is locked here.
  insert into mail (user_id, kind, actor_email)
  select recipient.id, 'team_deleted', actor.email
  from "user" as actor
  cross join (
    select member.id
    from membership
    join "user" as member on member.id = membership.user_id
    where membership.team_id = delete_team.team_id
      and member.id <> delete_team.user_id
      and member.email_verified_at is not null
    for key share of member skip locked
  ) as recipient
  where actor.id = delete_team.user_id;
  delete from membership
  where membership.team_id = delete_team.team_id;
  return query
  select *
  from team
  where team.id = delete_team.team_id;
end
$$;

-- Stores an API key of a team. The user must be an owner of the team. The key share lock waits for a transaction that is
-- deleting the account.
create function create_api_key(
  user_id text,
  team_id text,
  id text,
  name text,
  secret_hash text
) returns setof api_key
language sql volatile
as $$
  with creator as (
    select "user".id
    from "user"
    where "user".id = create_api_key.user_id
    for key share
  )
  insert into api_key (id, team_id, name, secret_hash)
  select create_api_key.id, create_api_key.team_id, create_api_key.name, create_api_key.secret_hash
  from creator
  where is_owner(creator.id, create_api_key.team_id)
  returning *
$$;

-- Gives an active API key another secret. The user must be an owner of the key's team.
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

-- Invites the addresses [text] that are not members. The caller must be an owner or an API key of the team. Extends an
-- existing invite, and sends its message again. Queues no message if a team that the caller, or an owner of the key's team,
-- owns has sent one to the address within the last hour. A team creates invites and repeats their messages at most 100 times a
-- day. So does a user, over all teams and their keys, since a user may create many teams. Leaves out further addresses. A
-- blocked team may not invite, so that a block also ends unwanted messages. mailed_at of a returned invite equals updated_at
-- if its message was queued.
create function invite_team_members(
  team_id text,
  emails jsonb,
  user_id text default null,
  api_key_id text default null
) returns setof invite
language plpgsql volatile
as $$
declare
  -- The users whose invites of the day are counted: the caller, or all owners of the key's team.
  inviters text[] := case
    when invite_team_members.user_id is not null then array[invite_team_members.user_id]
    else array(
      select membership.user_id
      from membership
      where membership.team_id = invite_team_members.team_id
        and membership.role = 'OWNER'
        and is_team_key(invite_team_members.api_key_id, invite_team_members.team_id)
    )
  end;
  -- The invites by keys of these teams are counted, too.
  teams_of_inviters text[] := array(
    select membership.team_id
    from membership
    where membership.user_id = any (inviters)
      and membership.role = 'OWNER'
  );
begin
  -- Concurrent calls of a user or for a team wait for each other, so that the day's invites are counted correctly. Locks the
  -- user before the team, like delete_account.
  perform
  from "user"
  where "user".id = any (inviters)
  order by "user".id
  for no key update;
  perform
  from team
  where team.id = invite_team_members.team_id
  for update;
  if exists (
    select
    from team
    where team.id = invite_team_members.team_id
      and team.blocked_at is not null
      and is_owner(invite_team_members.user_id, invite_team_members.team_id)
  ) then
    raise exception 'team_blocked: the team % is blocked', invite_team_members.team_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return query
  with today as (
    select audit.subject_id, audit.changes #>> '{email,new}' as email, audit.created_at
    from audit
    where (
        audit.team_id = invite_team_members.team_id
        or audit.actor_id = any (inviters)
        or (audit.team_id = any (teams_of_inviters) and audit.actor_role = 'api_key')
      )
      and audit.created_at > now() - interval '1 day'
      and audit.subject = 'invite'
      -- A repeated message is an update: the trail has the invite's mailed_at.
      and audit.operation <> 'delete'
  ),
  candidate as (
    select
      address,
      min(place) as place,
      known.id as invite_id,
      not exists (
        select
        from invite as other
        join mail on mail.invite_id = other.id
        where other.team_id = any (teams_of_inviters)
          and other.email = address
          and mail.created_at > now() - interval '1 hour'
      )
      -- Also searches the audit trail, since the messages of a deleted invite are deleted.
      and not exists (
        select
        from today
        where today.email = address
          and today.created_at > now() - interval '1 hour'
          and today.subject_id is distinct from known.id
      ) as is_mailed
    from jsonb_array_elements_text(emails) with ordinality as given (address, place)
    left join invite as known on known.team_id = invite_team_members.team_id and known.email = address
    where (
        is_owner(invite_team_members.user_id, invite_team_members.team_id)
        or is_team_key(invite_team_members.api_key_id, invite_team_members.team_id)
      )
      and not exists (
        select
        from membership
        join "user" on "user".id = membership.user_id
        where membership.team_id = invite_team_members.team_id
          and "user".email = address
      )
    group by address, known.id
  ),
  counted as (
    select
      candidate.*,
      count(*) filter (where invite_id is null or is_mailed) over (order by place) as day_count
    from candidate
  ),
  invited as (
    insert into invite as known (team_id, email, invited_by, mailed_at)
    select
      invite_team_members.team_id,
      address,
      invite_team_members.user_id,
      case when is_mailed then now() end
    from counted
    where (invite_id is not null and not is_mailed)
      or day_count <= (select 100 - count(*) from today)
    order by place
    on conflict on constraint invite_team_id_email_key do update
    set
      expires_at = excluded.expires_at,
      invited_by = excluded.invited_by,
      mailed_at = coalesce(excluded.mailed_at, known.mailed_at)
    returning known.*
  ),
  queued as (
    insert into mail (kind, invite_id)
    select 'invite', invited.id
    from invited
    join candidate on candidate.address = invited.email
    where candidate.is_mailed
  )
  select *
  from invited;
end
$$;

-- Uses an invite, and makes the user whose verified address was invited a member. With user_id, requires that this is the
-- user. Locks the user and the team before the invite, like delete_account, so it waits for a concurrent deletion. Of two
-- concurrent calls, the second finds no invite.
create function accept_invite(token_hash text, user_id text default null) returns setof membership
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
  used_invite as (
    delete from invite
    using joining
    where invite.id = joining.invite_id
    returning invite.team_id, invite.role, joining.user_id
  )
  insert into membership as existing (team_id, user_id, role)
  select team_id, user_id, role
  from used_invite
  on conflict on constraint membership_user_id_team_id_key do update
  set role = existing.role
  returning *
$$;

-- Creates an account for an invited address without an account, and makes the new user a member. The address counts as
-- verified, because the link in an invite proves access to the mailbox. Creates no team. Locks the team before the invite,
-- like delete_account. Of two concurrent calls, the second waits and then finds no invite. Returns no row for a used, deleted
-- or expired invite. Also returns no row if the address now has an account, and then keeps the invite.
create function sign_up_and_join(
  token_hash text,
  name text,
  password_hash text,
  devices jsonb
) returns setof membership
language plpgsql volatile
as $$
declare
  invited invite;
  joining "user";
begin
  perform
  from team
  where team.id = (
    select invite.team_id
    from invite_token
    join invite on invite.id = invite_token.invite_id
    where invite_token.token_hash = sign_up_and_join.token_hash
  )
  for key share;
  select invite.*
  into invited
  from invite_token
  join invite on invite.id = invite_token.invite_id
  where invite_token.token_hash = sign_up_and_join.token_hash
    and invite.expires_at > now()
  for update of invite;
  if invited.id is null then
    return;
  end if;
  insert into "user" (email, name, password_hash, email_verified_at)
  values (invited.email, sign_up_and_join.name, sign_up_and_join.password_hash, now())
  on conflict on constraint user_email_key do nothing
  returning *
  into joining;
  if joining.id is null then
    return;
  end if;
  perform remember_devices(joining.id, devices);
  delete from invite
  where invite.id = invited.id;
  return query
  insert into membership (team_id, user_id, role)
  values (invited.team_id, joining.id, invited.role)
  returning *;
end
$$;
