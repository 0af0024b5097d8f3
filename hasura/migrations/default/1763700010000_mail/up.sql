create table email_change (
  id text primary key,
  user_id text not null references "user" on delete cascade,
  email text not null check (email = lower(btrim(email))),
  is_confirmed_by_old boolean not null default false,
  is_confirmed_by_new boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table email_change is 'Changes of address that wait for both mailboxes to confirm them; only the latest of a user counts';
create index email_change_user_id_created_at_idx on email_change (user_id, created_at);
create index email_change_created_at_idx on email_change (created_at);
create trigger set_id before insert on email_change
for each row execute function set_id('change');

-- The outbox. A row is written in the transaction that calls for the message, so that neither is committed without
-- the other. The text is written when the message is sent.
create table mail (
  id text primary key,
  user_id text references "user" on delete cascade,
  kind text not null,
  attempts integer not null default 0 check (attempts >= 0),
  due_at timestamptz not null default now(),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  invite_id text references invite on delete cascade,
  email_change_id text references email_change on delete cascade,
  former_email text check (former_email = lower(btrim(former_email))),
  actor_email text check (actor_email = lower(btrim(actor_email))),
  team_id text references team on delete cascade,
  -- A message is for a user, or for an invited person who may not be a user yet.
  constraint mail_kind_check check (
    case
      when kind = 'invite' then invite_id is not null and user_id is null
      when kind in (
        'verify_email',
        'reset_password',
        'password_changed',
        'confirm_old_address',
        'confirm_new_address',
        'address_changed',
        'team_deleted',
        'owner_removed',
        'owner_demoted'
      ) then user_id is not null and invite_id is null
      else false
    end
  ),
  constraint mail_email_change_check check (
    (email_change_id is not null) = (kind in ('confirm_old_address', 'confirm_new_address'))
  ),
  constraint mail_is_former_email_check check ((former_email is not null) = (kind = 'address_changed')),
  -- The operator may remove an owner in the database: then there is no actor.
  constraint mail_is_actor_email_check check (
    case
      when kind = 'team_deleted' then actor_email is not null
      else actor_email is null or kind in ('owner_removed', 'owner_demoted')
    end
  ),
  constraint mail_is_team_id_check check (
    (team_id is not null) = (kind in ('owner_removed', 'owner_demoted'))
  )
);
comment on table mail is 'Messages to send; each is delivered at least once';
comment on column mail.former_email is 'The former address, to which the notice about a change of the address is sent';
comment on column mail.actor_email is 'Of the user who deleted the team, or removed or demoted the owner: the notice names them';
comment on column mail.team_id is 'The team whose owner the recipient was; the notice names it by its id, since members choose names';
comment on column mail.due_at is 'When to try next, unless it is sent';
create index mail_due_at_idx on mail (due_at) where sent_at is null;
create index mail_user_id_idx on mail (user_id);
create index mail_email_change_id_idx on mail (email_change_id) where email_change_id is not null;
create index mail_invite_id_idx on mail (invite_id) where invite_id is not null;
create index mail_team_id_idx on mail (team_id) where team_id is not null;
-- For deleting messages that were sent, or given up, long ago.
create index mail_created_at_idx on mail (created_at);
-- For the metric of how long the oldest unsent message has been waiting, which is read every few seconds.
create index mail_unsent_created_at_idx on mail (created_at) where sent_at is null;
create trigger set_id before insert on mail
for each row execute function set_id('mail');
create trigger set_updated_at before update on mail
for each row execute function set_updated_at();

-- Leases a batch of messages that are due. A lease lasts two minutes at first, and longer with each attempt; a
-- message that is not marked as sent by then is due again. After three days it is given up. Callers skip rows that
-- others have locked, so that they neither wait for each other nor get the same message.
create function lease_mail(batch integer) returns setof mail
language sql volatile
as $$
  update mail
  set
    attempts = attempts + 1,
    due_at = now() + least(interval '2 minutes' * 2 ^ least(attempts, 5), interval '1 hour')
  where id = any (array(
    select id
    from mail
    where sent_at is null
      and due_at <= now()
      and created_at > now() - interval '3 days'
    order by due_at
    limit batch
    for update skip locked
  ))
  returning *
$$;

create table account_link (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  user_id text not null references "user" on delete cascade,
  email text not null check (email = lower(btrim(email))),
  kind text not null check (
    kind in ('verify_email', 'reset_password', 'confirm_old_address', 'confirm_new_address')
  ),
  email_change_id text references email_change on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint account_link_email_change_check check (
    (email_change_id is not null) = (kind in ('confirm_old_address', 'confirm_new_address'))
  )
);
comment on table account_link is 'Links that were mailed to users and are not used yet: having one proves access to the mailbox';
comment on column account_link.token_hash is 'SHA-256 of the token, which is in the mail and nowhere else';
comment on column account_link.email is 'The mailbox that it was sent to: the link is worth nothing once the address is another';
create index account_link_user_id_idx on account_link (user_id);
create index account_link_email_change_id_idx on account_link (email_change_id) where email_change_id is not null;
create index account_link_expires_at_idx on account_link (expires_at);

-- Queues a message for a user, unless one of its kind still waits to be sent, or three were queued within the last
-- hour: nobody can have us fill a mailbox. The caller holds a lock of the user's row, so that calls for one user see
-- what the others queued.
create function queue_mail(user_id text, kind text) returns setof mail
language sql volatile
as $$
  insert into mail (user_id, kind)
  select queue_mail.user_id, queue_mail.kind
  where not exists (
    select
    from mail as earlier
    where earlier.user_id = queue_mail.user_id
      and earlier.kind = queue_mail.kind
      and earlier.created_at > now() - interval '1 hour'
    having count(*) >= 3 or bool_or(earlier.sent_at is null)
  )
  returning *
$$;

-- Queues a message for an owner who is removed or demoted, whichever way: by another owner, by themselves, or in the
-- database. Three an hour of one team, so that an owner cannot fill the mailbox of another; keep_an_owner, whose triggers
-- run before this one, has locked the team's row, so that changes of one team see each other's messages. The members of
-- a team that is deleted get another message. An account that is being deleted at this moment is skipped: its deletion
-- waits for the membership, so waiting for the account would be a deadlock.
create function tell_former_owner() returns trigger
language plpgsql
as $$
declare
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
begin
  insert into mail (user_id, kind, team_id, actor_email)
  select
    former.id,
    case tg_op when 'DELETE' then 'owner_removed' else 'owner_demoted' end,
    team.id,
    (select actor.email from "user" as actor where actor.id = session ->> 'x-hasura-user-id')
  from "user" as former
  join team on team.id = old.team_id
  where former.id = old.user_id
    and former.email_verified_at is not null
    and team.deleted_at is null
    and 3 > (
      select count(*)
      from mail as earlier
      where earlier.user_id = former.id
        and earlier.team_id = team.id
        and earlier.created_at > now() - interval '1 hour'
    )
  for key share of former skip locked;
  return null;
end
$$;
create trigger tell_former_owner_on_update after update of role on membership
for each row when (old.role = 'OWNER' and new.role <> 'OWNER') execute function tell_former_owner();
create trigger tell_former_owner_on_delete after delete on membership
for each row when (old.role = 'OWNER') execute function tell_former_owner();
