create table email_verification (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  user_id text not null references "user" on delete cascade,
  expires_at timestamptz not null default now() + interval '24 hours',
  created_at timestamptz not null default now()
);
comment on table email_verification is 'Links that were mailed and not yet used';
comment on column email_verification.token_hash is 'SHA-256 of the token, which is in the mail and nowhere else';
create index email_verification_user_id_idx on email_verification (user_id);
create index email_verification_expires_at_idx on email_verification (expires_at);

-- Takes messages that are due. Whoever takes one has two minutes to say that it is sent; after that,
-- and then ever less often, it is due again. Takers never wait for, or get the same as, each other.
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

-- Uses a link up. No row means that it was used, is over, or never was.
create function verify_email(token_hash text) returns setof "user"
language sql volatile
as $$
  with used as (
    delete from email_verification
    where token_hash = verify_email.token_hash
      and expires_at > now()
    returning user_id
  )
  update "user"
  set email_verified_at = coalesce("user".email_verified_at, now())
  from used
  where "user".id = used.user_id
  returning "user".*
$$;

-- Queues another link, unless there is nobody to verify or one waits to be sent already.
create function resend_verification(email text) returns setof mail
language sql volatile
as $$
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
  returning *
$$;
