-- Functions for accounts: signup, login, change of the password or the address, deletion. They take locks in the order that
-- …_teams_and_users explains: the user first. A function that changes a password or uses a mailed link checks the password
-- or the link again once it has this lock.

create table login (
  id text primary key,
  user_id text not null references "user" on delete cascade,
  address text check (length(address) <= 64),
  user_agent text check (length(user_agent) <= 256),
  expires_at timestamptz not null default now() + interval '24 hours',
  created_at timestamptz not null default now()
);
comment on table login is 'The active logins; the tokens of a deleted login are refused';
comment on column login.address is 'The network address of the login, for the user''s list of logins; for IPv6 the network';
create index login_user_id_created_at_idx on login (user_id, created_at);
create index login_expires_at_idx on login (expires_at);
create trigger set_id before insert on login
for each row execute function set_id('login');

create table known_device (
  user_id text not null references "user" on delete cascade,
  device_hash text not null check (device_hash ~ '^[0-9a-f]{64}$'),
  last_login_at timestamptz not null default now(),
  primary key (user_id, device_hash)
);
comment on table known_device is 'The devices of recent logins; wrong passwords from other devices do not block a login from a known device';
comment on column known_device.device_hash is 'SHA-256 of a network address, or of the token in a cookie';
create index known_device_last_login_at_idx on known_device (last_login_at);

-- Creates an account in one statement: the user, a team that the user owns, the first login, and the message that verifies
-- the address. Returns no row if the address is registered already.
create function signup(
  email text,
  password_hash text,
  name text,
  team_name text,
  address text,
  user_agent text,
  devices jsonb
) returns setof login
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
  ),
  new_device as (
    insert into known_device (user_id, device_hash)
    select id, device_hash
    from new_user
    cross join jsonb_array_elements_text(devices) as device_hash
  )
  insert into login (user_id, address, user_agent)
  select id, signup.address, signup.user_agent
  from new_user
  returning *
$$;

-- Stores devices of a user, and deletes all but the 20 devices with the latest logins. The caller must hold a lock on
-- the user's row.
create function remember_devices(user_id text, devices jsonb) returns void
language plpgsql volatile
as $$
begin
  insert into known_device (user_id, device_hash)
  select remember_devices.user_id, device_hash
  from jsonb_array_elements_text(devices) as device_hash
  on conflict on constraint known_device_pkey do update
  set last_login_at = now();
  delete from known_device
  where known_device.user_id = remember_devices.user_id
    and device_hash in (
      select older.device_hash
      from known_device as older
      where older.user_id = remember_devices.user_id
      order by older.last_login_at desc, older.device_hash
      offset 20
    );
end
$$;

-- Begins a login after the service has checked the password, which had this hash. Returns no row if the password has changed
-- in the meantime. Keeps only the user's 50 latest logins and 20 latest devices.
create function begin_login(
  user_id text,
  password_hash text,
  address text,
  user_agent text,
  devices jsonb
) returns setof login
language plpgsql volatile
as $$
begin
  -- Waits for a concurrent change of the password. Otherwise this login could begin with the old password and not be ended.
  perform
  from "user"
  where "user".id = begin_login.user_id
    and "user".password_hash = begin_login.password_hash
  for no key update;
  if not found then
    return;
  end if;
  perform remember_devices(begin_login.user_id, devices);
  delete from login
  where login.id in (
    select older.id
    from login as older
    where older.user_id = begin_login.user_id
    order by older.created_at desc, older.id
    offset 49
  );
  return query
  insert into login (user_id, address, user_agent)
  values (begin_login.user_id, begin_login.address, begin_login.user_agent)
  returning *;
end
$$;

-- Returns the user that a link was mailed for. Returns no row for a used, expired or unknown link. Also returns no row if the
-- user's address has changed since, except for the link that confirms a new address.
create function link_owner(token_hash text) returns table (user_id text, kind text)
language sql stable
as $$
  select account_link.user_id, account_link.kind
  from account_link
  join "user" on "user".id = account_link.user_id
  where account_link.token_hash = link_owner.token_hash
    and account_link.expires_at > now()
    and (account_link.kind = 'confirm_new_address' or account_link.email = "user".email)
  union all
  select "user".id, 'invite'
  from invite_token
  join invite on invite.id = invite_token.invite_id
  join "user" on "user".email = invite.email
  where invite_token.token_hash = link_owner.token_hash
    and invite.expires_at > now()
$$;

-- Marks the address of an account as verified, and sets the chosen password, if any. A mailed link proves that the caller
-- owns the mailbox. The owner either knows the password (`known_hash` is its hash), or chooses a new password
-- (`chosen_hash`), which ends all logins. There are three kinds of link: for verifying an address, in an invite to an
-- unverified address, and for a forgotten password. The last kind requires a new password. An invite is not accepted here.
-- Stores the devices as known, because an attacker may have used up the login attempts of unknown devices. Returns no row if
-- the link no longer works, or if the password has changed since the service compared it.
create function open_account(
  token_hash text,
  known_hash text,
  chosen_hash text,
  devices jsonb
) returns setof "user"
language plpgsql volatile
as $$
declare
  link record;
  owner "user";
begin
  select "user".*
  into owner
  from "user"
  where id = (select user_id from link_owner(open_account.token_hash))
  for no key update;
  -- Checks the link again: with the lock, no other transaction can use it.
  select *
  into link
  from link_owner(open_account.token_hash);
  if link.user_id is distinct from owner.id
    or owner.id is null
    or link.kind not in ('verify_email', 'invite', 'reset_password')
    or link.kind in ('verify_email', 'invite') and owner.email_verified_at is not null
    or chosen_hash is null and (link.kind = 'reset_password' or owner.password_hash is distinct from known_hash)
  then
    return;
  end if;

  delete from account_link
  where account_link.user_id = owner.id
    and account_link.kind in ('verify_email', 'reset_password');
  if chosen_hash is not null then
    -- Also deletes devices: another person who knew the password may have logged in.
    delete from login
    where login.user_id = owner.id;
    delete from known_device
    where known_device.user_id = owner.id;
    perform queue_mail(owner.id, 'password_changed')
    where owner.email_verified_at is not null;
  end if;
  perform remember_devices(owner.id, devices);
  return query
  update "user"
  set
    password_hash = coalesce(chosen_hash, owner.password_hash),
    email_verified_at = coalesce(owner.email_verified_at, now())
  where "user".id = owner.id
  returning *;
end
$$;

-- Queues a link that verifies an address, if an account with this address is unverified, and if queue_mail allows it.
create function resend_verification(email text) returns setof mail
language sql volatile
as $$
  with unverified as (
    select id
    from "user"
    where "user".email = resend_verification.email
      and "user".email_verified_at is null
    for no key update
  )
  select queued.*
  from unverified
  cross join queue_mail(unverified.id, 'verify_email') as queued
$$;

-- Queues a link for a forgotten password, if an account has this address, and if queue_mail allows it.
create function forgot_password(email text) returns setof mail
language sql volatile
as $$
  with account as (
    select id
    from "user"
    where "user".email = forgot_password.email
    for no key update
  )
  select queued.*
  from account
  cross join queue_mail(account.id, 'reset_password') as queued
$$;

-- Changes a password after the service has checked the current one, which has the hash `known_hash`. Ends all logins except
-- `login_id`, and deletes links for a forgotten password. Returns no row if the password has changed since the check.
create function change_password(
  user_id text,
  known_hash text,
  chosen_hash text,
  login_id text
) returns setof "user"
language plpgsql volatile
as $$
begin
  update "user"
  set password_hash = chosen_hash
  where id = change_password.user_id
    and password_hash = known_hash;
  if not found then
    return;
  end if;
  delete from login
  where login.user_id = change_password.user_id
    and login.id <> coalesce(change_password.login_id, '');
  delete from known_device
  where known_device.user_id = change_password.user_id;
  delete from account_link
  where account_link.user_id = change_password.user_id
    and account_link.kind = 'reset_password';
  perform queue_mail(change_password.user_id, 'password_changed');
  return query
  select *
  from "user"
  where id = change_password.user_id;
end
$$;

-- Begins a change of address, which both mailboxes must confirm within an hour. Cancels an earlier change. Returns no row
-- if the password has changed since the service checked it (hash `known_hash`), or after three changes in the last hour.
create function begin_email_change(user_id text, known_hash text, email text) returns setof email_change
language plpgsql volatile
as $$
declare
  change email_change;
begin
  perform
  from "user"
  where "user".id = begin_email_change.user_id
    and "user".password_hash = known_hash
  for no key update;
  if not found then
    return;
  end if;
  insert into email_change (user_id, email)
  select begin_email_change.user_id, begin_email_change.email
  where 3 > (
    select count(*)
    from email_change as earlier
    where earlier.user_id = begin_email_change.user_id
      and earlier.created_at > now() - interval '1 hour'
  )
  returning *
  into change;
  if change.id is null then
    return;
  end if;
  insert into mail (user_id, kind, email_change_id)
  values
    (change.user_id, 'confirm_old_address', change.id),
    (change.user_id, 'confirm_new_address', change.id);
  return next change;
end
$$;

-- Confirms a change of address for the mailbox of a link, and makes the change after both mailboxes have confirmed it. The
-- new mailbox must also send the password (hash `known_hash`). Otherwise an attacker could trick the owner of a mailbox
-- into giving the address to the attacker's account. Returns no row if the link no longer works, if the password has
-- changed since the check, or if another account has the address.
create function confirm_email_change(token_hash text, known_hash text) returns setof email_change
language plpgsql volatile
as $$
declare
  owner "user";
  link account_link;
  change email_change;
begin
  select "user".*
  into owner
  from "user"
  where id = (select user_id from link_owner(confirm_email_change.token_hash))
  for no key update;
  delete from account_link
  where account_link.token_hash = confirm_email_change.token_hash
    and account_link.expires_at > now()
    and (account_link.kind <> 'confirm_new_address' or owner.password_hash = known_hash)
    and account_link.email_change_id = (
      select latest.id
      from email_change as latest
      where latest.user_id = account_link.user_id
      order by latest.created_at desc
      limit 1
    )
  returning *
  into link;
  update email_change
  set
    is_confirmed_by_old = is_confirmed_by_old or link.kind = 'confirm_old_address',
    is_confirmed_by_new = is_confirmed_by_new or link.kind = 'confirm_new_address'
  where id = link.email_change_id
    and not (is_confirmed_by_old and is_confirmed_by_new)
  returning *
  into change;
  if change.id is null then
    return;
  end if;
  if change.is_confirmed_by_old and change.is_confirmed_by_new then
    insert into mail (user_id, kind, former_email)
    select "user".id, 'address_changed', "user".email
    from "user"
    where "user".id = change.user_id;
    update "user"
    set email = change.email
    where id = change.user_id;
    -- Deletes the links in the old mailbox, which may belong to another person from now on.
    delete from account_link
    where account_link.user_id = change.user_id;
    -- Keeps the changes themselves, because begin_email_change counts those of the last hour.
    delete from mail
    using email_change as earlier
    where mail.email_change_id = earlier.id
      and earlier.user_id = change.user_id
      and mail.sent_at is null;
  end if;
  return next change;
exception
  when unique_violation then
    return;
end
$$;

-- Deletes teams: revokes their keys, archives their apps and deletes their invites. The caller must have locked the teams.
-- Keeps the apps with their counts. Otherwise the same people could be counted again.
create function close_teams(team_ids text[]) returns void
language sql volatile
as $$
  update team
  set deleted_at = now()
  where id = any (team_ids);
  -- Also updates revoked keys and archived apps, so that a concurrent request to restore one waits, and then finds the team
  -- deleted.
  update api_key
  set is_active = false
  where team_id = any (team_ids);
  update app
  set is_archived = true
  where team_id = any (team_ids);
  delete from invite
  where team_id = any (team_ids);
$$;

-- Deletes an account, and the teams that have no other member. With `known_hash`, requires that this is still the hash of
-- the password. Returns no row if the password has changed, or if the user is the last owner of a team with other members.
create function delete_account(user_id text, known_hash text default null) returns setof "user"
language plpgsql volatile
as $$
declare
  sole_member_teams text[];
begin
  -- A second call waits for the first. It then also returns a row, because the account is deleted.
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
  if exists (
    select
    from "user"
    where id = delete_account.user_id
      and password_hash <> known_hash
  ) then
    return;
  end if;

  -- Locks memberships before teams, since an update of a role locks the membership and then the team. Locks both in a fixed
  -- order, so that two members of the same teams can delete their accounts concurrently.
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

  select array_agg(membership_of_user.team_id)
  into sole_member_teams
  from membership as membership_of_user
  where membership_of_user.user_id = delete_account.user_id
    and not exists (
      select
      from membership as other_member
      where other_member.team_id = membership_of_user.team_id
        and other_member.user_id <> membership_of_user.user_id
    );
  if exists (
    select
    from membership as membership_of_user
    where membership_of_user.user_id = delete_account.user_id
      and membership_of_user.role = 'OWNER'
      and membership_of_user.team_id <> all (coalesce(sole_member_teams, '{}'))
      and not exists (
        select
        from membership as other_member
        where other_member.team_id = membership_of_user.team_id
          and other_member.user_id <> membership_of_user.user_id
          and other_member.role = 'OWNER'
      )
  ) then
    return;
  end if;

  perform close_teams(sole_member_teams);
  return query
  delete from "user"
  where id = delete_account.user_id
  returning *;
end
$$;

-- Deletes up to 100 accounts whose address was not verified within a week, with the teams that have no other member. So the
-- owner of such an address can sign up.
create function remove_unverified_accounts() returns setof "user"
language plpgsql volatile
as $$
declare
  abandoned text;
begin
  for abandoned in
    select id
    from "user"
    where email_verified_at is null
      and created_at < now() - interval '7 days'
    order by created_at
    limit 100
    for update skip locked
  loop
    return query
    select *
    from delete_account(abandoned);
  end loop;
end
$$;
create index user_unverified_created_at_idx on "user" (created_at) where email_verified_at is null;
