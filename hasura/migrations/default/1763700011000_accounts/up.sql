-- What happens to a user's account: signing up, verifying the address, deleting it.
-- Locks are taken in the order that …_teams_and_users gives.

-- Creates the whole account in one statement: the user, a team that they own, and the message that verifies their
-- address. No row means that the address is registered already.
create function signup(
  email text,
  password_hash text,
  name text,
  team_name text
) returns setof "user"
language sql volatile
as $$
  with new_user as (
    insert into "user" (email, password_hash, name)
    values (signup.email, signup.password_hash, signup.name)
    on conflict on constraint user_email_key do nothing
    returning *
  ),
  new_team as (
    insert into team (name)
    select signup.team_name
    from new_user
    returning id
  ),
  new_membership as (
    insert into membership (team_id, user_id, role)
    select new_team.id, new_user.id, 'OWNER'
    from new_team, new_user
  ),
  new_mail as (
    insert into mail (user_id, kind)
    select id, 'verify_email'
    from new_user
  )
  select *
  from new_user
$$;

-- Verifies an address with a mailed link, which works once. No row means that the link was used, has expired, or
-- never existed. The user is locked before the link, as delete_account does: in the opposite order the two could
-- deadlock.
create function verify_email(token_hash text) returns setof "user"
language sql volatile
as $$
  with verifying as (
    select "user".id
    from email_verification
    join "user" on "user".id = email_verification.user_id
    where email_verification.token_hash = verify_email.token_hash
      and email_verification.expires_at > now()
    for no key update of "user"
  ),
  used as (
    delete from email_verification
    using verifying
    where email_verification.token_hash = verify_email.token_hash
      and email_verification.user_id = verifying.id
    returning email_verification.user_id
  )
  update "user"
  set email_verified_at = coalesce("user".email_verified_at, now())
  from used
  where "user".id = used.user_id
  returning "user".*
$$;

-- Queues another link, unless nobody with this address is left to verify, or a link from within the last hour has
-- not been sent yet.
create function resend_verification(email text) returns setof mail
language plpgsql volatile
as $$
begin
  -- Of two concurrent calls, the second waits here and then sees what the first has queued.
  perform
  from "user"
  where "user".email = resend_verification.email
  for no key update;
  return query
  insert into mail (user_id, kind)
  select "user".id, 'verify_email'
  from "user"
  where "user".email = resend_verification.email
    and "user".email_verified_at is null
    and not exists (
      select
      from mail
      where mail.user_id = "user".id
        and mail.sent_at is null
        and mail.created_at > now() - interval '1 hour'
    )
  returning *;
end
$$;

-- Deletes an account. A team that has no other member is deleted with it: its keys are revoked and its apps
-- archived. What its apps counted stays, since otherwise the same people could be counted again. No row means that
-- the user is the last owner of a team that has other members.
create function delete_account(user_id text) returns setof "user"
language plpgsql volatile
as $$
declare
  alone text[];
begin
  -- A second call waits here for the first, and then answers as the first did: the account is deleted.
  perform
  from "user"
  where id = delete_account.user_id
  for update;
  if not found then
    return query
    select gone.*
    from jsonb_populate_record(null::"user", jsonb_build_object('id', delete_account.user_id)) as gone;
    return;
  end if;

  -- Memberships before teams: an update of a role locks the membership, and then the team, to see which owners are
  -- left. Both are locked in a fixed order, so that two members of the same teams can delete their accounts at once.
  perform
  from membership
  where membership.user_id = delete_account.user_id
  order by team_id
  for update;
  perform
  from team
  where id in (
    select membership.team_id
    from membership
    where membership.user_id = delete_account.user_id
  )
  order by id
  for update;

  select array_agg(mine.team_id)
  into alone
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

  update team
  set deleted_at = now()
  where id = any (alone);
  -- All keys and apps are updated, also those that are revoked or archived already: a concurrent request that wants
  -- to bring one back then waits, and finds the team deleted.
  update api_key
  set is_active = false
  where team_id = any (alone);
  update app
  set is_archived = true
  where team_id = any (alone);
  delete from invite
  where team_id = any (alone);
  return query
  delete from "user"
  where id = delete_account.user_id
  returning *;
end
$$;
