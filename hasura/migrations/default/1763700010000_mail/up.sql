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
  -- A message is for a user, or for an invited person who may not be a user yet.
  constraint mail_kind_check check (
    case kind
      when 'verify_email' then user_id is not null and invite_id is null
      when 'invite' then invite_id is not null and user_id is null
      else false
    end
  )
);
comment on table mail is 'Messages to send; each is delivered at least once';
comment on column mail.due_at is 'When to try next, unless it is sent';
create index mail_due_at_idx on mail (due_at) where sent_at is null;
create index mail_user_id_idx on mail (user_id);
create index mail_invite_id_idx on mail (invite_id) where invite_id is not null;
-- For deleting messages that were sent, or given up, long ago.
create index mail_created_at_idx on mail (created_at);
-- For the metric of how long the oldest unsent message has been waiting, which is read every few seconds.
create index mail_unsent_created_at_idx on mail (created_at) where sent_at is null;
create trigger set_id before insert on mail
for each row execute function set_id('mail');
create trigger set_updated_at before update on mail
for each row execute function set_updated_at();

-- Claims a batch of messages that are due. A claim lasts two minutes at first, and longer with each attempt; a
-- message that is not marked as sent by then is due again. After three days it is given up. Callers skip rows that
-- others have locked, so that they neither wait for each other nor get the same message.
create function claim_mail(batch integer) returns setof mail
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

create table email_verification (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  user_id text not null references "user" on delete cascade,
  expires_at timestamptz not null default now() + interval '24 hours',
  created_at timestamptz not null default now()
);
comment on table email_verification is 'Links that were mailed to verify an address and are not used yet';
comment on column email_verification.token_hash is 'SHA-256 of the token, which is in the mail and nowhere else';
create index email_verification_user_id_idx on email_verification (user_id);
create index email_verification_expires_at_idx on email_verification (expires_at);
