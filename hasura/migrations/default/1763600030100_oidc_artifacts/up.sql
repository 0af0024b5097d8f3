-- What the sign-in server keeps between requests: interactions, grants, codes, access tokens, signals.
-- It is read and written on the way of every request, by statements whose atomicity is what makes a
-- code good for one use, so the server's adapter does it itself (docs/decisions/0021).
create table oidc_artifact (
  model text not null,
  id bytea not null check (length(id) = 32),
  payload jsonb not null,
  grant_id text,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (model, id)
)
-- Room on each page for an interaction's or a code's next version.
with (fillfactor = 85);
comment on table oidc_artifact is 'State of the sign-in server; ids are SHA-256 of what the bearer holds';
create index oidc_artifact_grant_id_idx on oidc_artifact (grant_id) where grant_id is not null;
create index oidc_artifact_expires_at_idx on oidc_artifact (expires_at);
