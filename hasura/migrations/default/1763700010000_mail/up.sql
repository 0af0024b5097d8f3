create table email_change (
  id text primary key,
  user_id text not null references "user" on delete cascade,
  email text not null check (email = lower(btrim(email))),
  is_confirmed_by_old boolean not null default false,
  is_confirmed_by_new boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table email_change is 'Changes of address that both mailboxes must confirm; only the latest change of a user is valid';
create index email_change_user_id_created_at_idx on email_change (user_id, created_at);
create index email_change_created_at_idx on email_change (created_at);
create trigger set_id before insert on email_change
for each row execute function set_id('change');

-- The outbox. The transaction that causes a message also inserts the message's row, so both are committed or neither. The
-- service writes the text when it sends the message.
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
  -- A removed or demoted owner's message has no actor if the operator made the change in the database.
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
comment on column mail.former_email is 'The old address, which gets the notice about a change of address';
comment on column mail.actor_email is 'The address of the user who deleted the team, or removed or demoted the owner, for the text of the message';
comment on column mail.team_id is 'The team that the recipient owned; the message shows its id, since members choose its name';
comment on column mail.due_at is 'When to try next, unless the message is sent';
create index mail_due_at_idx on mail (due_at) where sent_at is null;
create index mail_user_id_idx on mail (user_id);
create index mail_email_change_id_idx on mail (email_change_id) where email_change_id is not null;
create index mail_invite_id_idx on mail (invite_id) where invite_id is not null;
create index mail_team_id_idx on mail (team_id) where team_id is not null;
-- For the deletion of old messages.
create index mail_created_at_idx on mail (created_at);
-- For the metric of the oldest unsent message, which is read every few seconds.
create index mail_unsent_created_at_idx on mail (created_at) where sent_at is null;
create trigger set_id before insert on mail
for each row execute function set_id('mail');
create trigger set_updated_at before update on mail
for each row execute function set_updated_at();

-- Leases a batch of messages that are due. A lease lasts two minutes at first, twice as long with each attempt, and at most
-- an hour. A message that is not marked as sent by then is due again. A message is abandoned after three days. Concurrent
-- callers skip locked rows, so that they do not wait and do not get the same message.
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
comment on table account_link is 'Unused mailed links of accounts; a link proves access to the mailbox';
comment on column account_link.token_hash is 'SHA-256 of the token, which is only in the mail';
comment on column account_link.email is 'The recipient of the link, which stops working when the account''s address changes';
create index account_link_user_id_idx on account_link (user_id);
create index account_link_email_change_id_idx on account_link (email_change_id) where email_change_id is not null;
create index account_link_expires_at_idx on account_link (expires_at);

-- Queues a message for a user, unless within the last hour three messages of this kind were queued, or one was queued that
-- is still unsent. This keeps strangers from filling the mailbox. The caller must hold a lock on the user's row, so that
-- concurrent calls see each other's messages.
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

-- Queues a message for a verified user who was an owner of a team and was removed or demoted, or left. Queues at most three
-- an hour for each owner and team, so that an owner cannot fill another owner's mailbox. The triggers of keep_an_owner run
-- first. They lock the team's row, so that concurrent changes of a team see each other's messages. Members of a deleted team
-- get another message. Skips an account that is being deleted: the deletion waits for the membership, so waiting for the
-- deletion would be a deadlock.
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
