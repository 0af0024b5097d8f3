create table invite (
  id text primary key,
  team_id text not null references team on delete cascade,
  email text not null check (email = lower(btrim(email))),
  -- Not OWNER: an API key may invite people, but must not create owners.
  role text not null default 'MEMBER' check (role in ('ADMIN', 'MEMBER')),
  invited_by text references "user" on delete set null,
  expires_at timestamptz not null default now() + interval '7 days',
  mailed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint invite_team_id_email_key unique (team_id, email)
);
comment on table invite is 'An open invite of an e-mail address to a team';
comment on column invite.invited_by is 'The user whom the invite page names; null for an API key and for a deleted account';
comment on column invite.mailed_at is 'When the latest message was queued; null if none was queued for this team';
create index invite_invited_by_idx on invite (invited_by);
create index invite_expires_at_idx on invite (expires_at);
create trigger set_id before insert on invite
for each row execute function set_id('inv');
create trigger set_updated_at before update on invite
for each row execute function set_updated_at();
create trigger keep_team_id before update of team_id on invite
for each row when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');
create trigger audit after insert or update or delete on invite
for each row execute function record_in_audit('email', 'role', 'mailed_at');

create table invite_token (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  invite_id text not null references invite on delete cascade,
  created_at timestamptz not null default now()
);
comment on table invite_token is 'The mailed links of an invite; each works until the invite is used or expires';
comment on column invite_token.token_hash is 'SHA-256 of the token, which is only in the mail';
create index invite_token_invite_id_idx on invite_token (invite_id);
