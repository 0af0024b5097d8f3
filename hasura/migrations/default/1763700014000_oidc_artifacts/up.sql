-- What the sign-in server stores between requests: interactions, grants, codes, access tokens, signals. Every request
-- reads or writes it, and atomic statements make a code usable only once, so the server's adapter accesses it
-- directly and not through GraphQL (docs/decisions, number 21).
create table oidc_artifact (
  model text not null,
  id bytea not null check (length(id) = 32),
  payload jsonb not null,
  grant_id text,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (model, id)
)
-- Room on each page for the next version of an interaction or a code.
with (fillfactor = 85);
comment on table oidc_artifact is 'State of the sign-in server; an id is the SHA-256 of what its bearer holds';
create index oidc_artifact_grant_id_idx on oidc_artifact (grant_id) where grant_id is not null;
create index oidc_artifact_expires_at_idx on oidc_artifact (expires_at);

-- The only table of the sign-in server's own role (ops/roles.sql), where there is this role.
do $$
begin
  if exists (select from pg_roles where rolname = 'sign_in') then
    grant select, insert, update, delete on oidc_artifact to sign_in;
  end if;
end
$$;
