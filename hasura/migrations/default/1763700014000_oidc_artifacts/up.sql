-- The state of the sign-in server between requests: interactions, grants, codes, access tokens, signals. The server uses
-- this table directly and not through GraphQL (docs/decisions, number 21), because every request needs the table, and
-- because a single SQL statement can make sure that a code is used only once.
create table oidc_artifact (
  model text not null,
  id bytea not null check (length(id) = 32),
  payload jsonb not null,
  grant_id text,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (model, id)
)
-- Leaves room on each page for the next version of an interaction or a code.
with (fillfactor = 85);
comment on table oidc_artifact is 'State of the sign-in server; an id is the SHA-256 of the bearer''s token or code';
create index oidc_artifact_grant_id_idx on oidc_artifact (grant_id) where grant_id is not null;
create index oidc_artifact_expires_at_idx on oidc_artifact (expires_at);

-- Grants the sign-in server's role (ops/roles.sql) access to this table only, if the role exists.
do $$
begin
  if exists (select from pg_roles where rolname = 'sign_in') then
    grant select, insert, update, delete on oidc_artifact to sign_in;
  end if;
end
$$;
