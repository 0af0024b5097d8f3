-- The outbox. A row is written in the transaction that calls for the message, so that neither is
-- ever there without the other; the text is made when it is sent.
create table mail (
  id text primary key,
  user_id text not null references "user" on delete cascade,
  kind text not null check (kind in ('verify_email')),
  attempts integer not null default 0 check (attempts >= 0),
  due_at timestamptz not null default now(),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table mail is 'Messages to send; delivered at least once';
comment on column mail.due_at is 'When to try next, unless it is sent';
create index mail_due_at_idx on mail (due_at) where sent_at is null;
create index mail_user_id_idx on mail (user_id);
create trigger set_id before insert on mail for each row execute function set_id('mail');
create trigger set_updated_at before update on mail for each row execute function set_updated_at();

-- One statement makes the whole account. No row means that the address is registered already.
create function signup(email text, password_hash text, name text, team_name text) returns setof "user"
language sql volatile
as $$
  with new_user as (
    insert into "user" (email, password_hash, name)
    values (signup.email, signup.password_hash, signup.name)
    on conflict on constraint user_email_key do nothing
    returning *
  ),
  new_team as (
    insert into team (name) select signup.team_name from new_user returning id
  ),
  new_membership as (
    insert into membership (team_id, user_id, role)
    select new_team.id, new_user.id, 'OWNER' from new_team, new_user
  ),
  new_mail as (
    insert into mail (user_id, kind) select id, 'verify_email' from new_user
  )
  select * from new_user
$$;
