-- The redirect URIs of apps: HTTPS URLs without fragment and user information. The host must not be the local machine in
-- any spelling; hosts files have several names for it. Only a developer's database may have http://localhost:<port>. An
-- IPv4 address must have the plain dotted form: browsers read every host as an IPv4 address if the last label is a number.
create table redirect (
  id text primary key,
  app_id text not null references app on delete cascade,
  redirect_uri text not null
    constraint redirect_uri_is_accepted check (
      case
        when length(redirect_uri) > 2048
          then refuse_value('redirect_uri must have at most 2,048 characters', redirect_uri)
        when redirect_uri !~* '^(https://(([a-z0-9_-]+\.)*[a-z]([a-z0-9-]*[a-z0-9])?\.?|(?!127\.)[1-9][0-9]{0,2}(\.(0|[1-9][0-9]{0,2})){3})(:[0-9]{1,5})?|http://localhost:[0-9]{1,5})([/?][a-z0-9._~:/?@!$&''()*+,;=%-]*)?$'
          then refuse_value('redirect_uri must be an https:// URL with a host name or an IPv4 address, without user name and fragment', redirect_uri)
        when redirect_uri ~* '^https://([^/:?]*\.)?(localhost[46]?|localdomain[46]?|(ip6-)?loopback|ip6-localhost)\.?([:/?]|$)'
          then refuse_value('redirect_uri must not be on the local machine', redirect_uri)
        -- Parsers disagree about an empty query.
        when redirect_uri ~ '^[^?]*\?$'
          then refuse_value('redirect_uri must not end with an empty query', redirect_uri)
        when not has_valid_port(redirect_uri)
          then refuse_value('redirect_uri must have a port up to 65535', redirect_uri)
        -- A percent sign must begin an encoded byte (RFC 3986, section 2.1). Browsers and servers disagree about other percent
        -- signs, so they could send people to another address than the registered one.
        when redirect_uri ~ '%(?![0-9A-Fa-f]{2})'
          then refuse_value('redirect_uri must have two hex digits after each percent sign', redirect_uri)
        else true
      end
    ),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint redirect_app_id_redirect_uri_key unique (app_id, redirect_uri)
);
comment on table redirect is 'The URIs to which a sign-in to an app may send people back';
create trigger set_id before insert on redirect
for each row execute function set_id('uri');
create trigger set_updated_at before update on redirect
for each row execute function set_updated_at();
create trigger keep_app_id before update of app_id on redirect
for each row when (old.app_id is distinct from new.app_id) execute function refuse_change('app_id');
create trigger require_app_editor before insert on redirect
for each row execute function require_app_editor();

-- Marks a developer's database, where apps may have redirects to http://localhost.
create table local_development (
  is_allowed boolean primary key check (is_allowed)
);
comment on table local_development is 'Has a row only with "npm start": then staging apps may have redirects to http://localhost';

-- Refuses http://localhost:<port>, which the table's check accepts, except for staging apps in a developer's database.
create function refuse_localhost_redirect() returns trigger
language plpgsql
as $$
begin
  if not exists (select from local_development)
    or not exists (select from app where app.id = new.app_id and app.is_staging) then
    raise exception 'a redirect must be an HTTPS address, not of localhost'
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger refuse_localhost_redirect before insert or update of redirect_uri on redirect
for each row when (new.redirect_uri ~* '^http:') execute function refuse_localhost_redirect();

create trigger audit after insert or update or delete on redirect
for each row execute function record_in_audit('app_id', 'redirect_uri');

create table sign_in_client (
  app_id text primary key references app on delete cascade,
  secret_hash text check (secret_hash ~ '^[0-9a-f]{64}$'),
  token_endpoint_auth_method text not null default 'client_secret_basic'
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none')),
  is_public boolean not null generated always as (token_endpoint_auth_method = 'none') stored,
  application_type text not null default 'web' check (application_type in ('web', 'mobile', 'native')),
  response_types jsonb not null
    default '["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"]'
    check (jsonb_typeof(response_types) = 'array'),
  registered_at timestamptz,
  registration_token_hash text unique check (registration_token_hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sign_in_client_has_secret_unless_public check (is_public = (secret_hash is null))
);
comment on table sign_in_client is 'An app as a client of the sign-in server; its id is the client id';
comment on column sign_in_client.secret_hash is 'HMAC-SHA-256 of the secret, keyed with a pepper that is not in this database';
comment on column sign_in_client.token_endpoint_auth_method is 'The method that the client registered; the sign-in server accepts a secret by either method';
comment on column sign_in_client.is_public is 'True for a client without a secret, such as a browser or phone app; it must use PKCE';
comment on column sign_in_client.registration_token_hash is 'SHA-256 of the token with which a team may adopt a self-registered client; null after use';
comment on column sign_in_client.response_types is 'The response types that the client may request at /authorize';
comment on column sign_in_client.registered_at is 'When a self-registered client registered, for the removal of unused clients; null for other clients';
create index sign_in_client_registered_at_idx on sign_in_client (registered_at)
where registered_at is not null;
create trigger set_updated_at before update on sign_in_client
for each row execute function set_updated_at();
create trigger audit after insert or update or delete on sign_in_client
for each row execute function record_in_audit('application_type', 'secret_hash', 'registration_token_hash');

-- Creates a self-registered client in one statement: a team with one staging app and its redirects. A client without a
-- secret is public.
create function register_client(
  client_name text,
  redirect_uris jsonb,
  application_type text,
  response_types jsonb,
  secret_hash text,
  registration_token_hash text,
  token_endpoint_auth_method text default 'client_secret_basic'
) returns setof sign_in_client
language sql volatile
as $$
  with new_team as (
    insert into team (name)
    values (client_name)
    returning id
  ),
  new_app as (
    insert into app (team_id, name, is_staging)
    select id, client_name, true
    from new_team
    returning id
  ),
  new_redirects as (
    insert into redirect (app_id, redirect_uri)
    select new_app.id, uri
    from new_app, jsonb_array_elements_text(redirect_uris) as uri
  )
  insert into sign_in_client (
    app_id,
    secret_hash,
    token_endpoint_auth_method,
    application_type,
    response_types,
    registered_at,
    registration_token_hash
  )
  select
    id,
    register_client.secret_hash,
    case when register_client.secret_hash is null then 'none' else register_client.token_endpoint_auth_method end,
    register_client.application_type,
    register_client.response_types,
    now(),
    register_client.registration_token_hash
  from new_app
  returning *
$$;

-- Removes up to 1,000 self-registered clients with their teams and apps. The clients must be older than 30 days and not
-- adopted, and no person may have signed in. Locks the clients' actions and then checks the nullifiers again, because a
-- person may just have been counted.
create function remove_unused_clients() returns setof sign_in_client
language plpgsql volatile
as $$
declare
  oldest text[] := array(
    select client.app_id
    from sign_in_client as client
    where client.registered_at < now() - interval '30 days'
      and not exists (
        select
        from action
        join nullifier on nullifier.action_id = action.id
        where action.app_id = client.app_id
      )
      and not exists (
        select
        from app
        where app.id = client.app_id
          and (
            exists (select from membership where membership.team_id = app.team_id)
            or exists (select from api_key where api_key.team_id = app.team_id)
          )
      )
    order by client.registered_at
    limit 1000
  );
  locked text[] := array(
    select action.id
    from action
    where action.app_id = any (oldest)
    order by action.id
    for update skip locked
  );
begin
  return query
  with removed as (
    delete from team
    using app, sign_in_client as client
    where app.id = any (oldest)
      and team.id = app.team_id
      and client.app_id = app.id
      and client.registered_at < now() - interval '30 days'
      and not exists (select from action where action.app_id = app.id and action.id <> all (locked))
      and not exists (
        select
        from action
        join nullifier on nullifier.action_id = action.id
        where action.app_id = app.id
      )
      and not exists (select from membership where membership.team_id = app.team_id)
      and not exists (select from api_key where api_key.team_id = app.team_id)
    returning client.*
  )
  select *
  from removed;
end
$$;

-- Gives an app another sign-in secret. The caller must be an owner, an admin or an API key of the app's team. Returns no row
-- for other callers, and for an unknown or archived app.
create function reset_client_secret(
  app_id text,
  secret_hash text,
  user_id text default null,
  api_key_id text default null
) returns setof sign_in_client
language sql volatile
as $$
  insert into sign_in_client as client (app_id, secret_hash)
  select app.id, reset_client_secret.secret_hash
  from app
  where app.id = reset_client_secret.app_id
    and not app.is_archived
    and (
      is_team_key(reset_client_secret.api_key_id, app.team_id)
      or exists (
        select
        from membership
        where membership.team_id = app.team_id
          and membership.user_id = reset_client_secret.user_id
          and membership.role in ('OWNER', 'ADMIN')
      )
    )
  on conflict on constraint sign_in_client_pkey do update
  set
    secret_hash = excluded.secret_hash,
    token_endpoint_auth_method = case when client.is_public then 'client_secret_basic' else client.token_endpoint_auth_method end
  returning *
$$;

-- Makes an app a public client: removes its sign-in secret, so that the app must use PKCE. `reset_client_secret` makes it a
-- client with a secret again. The caller must be an owner, an admin or an API key of the app's team. Returns no row for other
-- callers, and for an unknown or archived app.
create function remove_client_secret(
  app_id text,
  user_id text default null,
  api_key_id text default null
) returns setof sign_in_client
language sql volatile
as $$
  insert into sign_in_client as client (app_id, token_endpoint_auth_method)
  select app.id, 'none'
  from app
  where app.id = remove_client_secret.app_id
    and not app.is_archived
    and (
      is_team_key(remove_client_secret.api_key_id, app.team_id)
      or exists (
        select
        from membership
        where membership.team_id = app.team_id
          and membership.user_id = remove_client_secret.user_id
          and membership.role in ('OWNER', 'ADMIN')
      )
    )
  on conflict on constraint sign_in_client_pkey do update
  set secret_hash = null, token_endpoint_auth_method = 'none'
  returning *
$$;

-- Adopts a self-registered client: moves it into a team and deletes the team that was created for it. The caller must be an
-- owner, an admin or an API key of the team, and needs the client's registration access token. The token works once. Creates
-- a production client with the same name, logo, redirects and types. If the client has a secret, the production client gets
-- `secret_hash`. Returns no row for other callers, for a wrong token, and for an unknown, archived or adopted client. Takes
-- locks in the order of …_teams_and_users.
create function claim_client(
  team_id text,
  client_id text,
  token_hash text,
  secret_hash text,
  user_id text default null,
  api_key_id text default null
) returns setof sign_in_client
language plpgsql volatile
as $$
declare
  former_team text := (select app.team_id from app where app.id = claim_client.client_id and not app.is_archived);
  adopted sign_in_client;
  production_app_id text;
begin
  perform
  from membership
  where membership.user_id = claim_client.user_id
    and membership.team_id = claim_client.team_id
    and membership.role in ('OWNER', 'ADMIN')
  for key share;
  if not (found or is_team_key(claim_client.api_key_id, claim_client.team_id)) or former_team is null then
    return;
  end if;
  perform
  from team
  where team.id in (claim_client.team_id, former_team)
  order by team.id
  for update;
  update sign_in_client as client
  set registration_token_hash = null, registered_at = null
  where client.app_id = claim_client.client_id
    and client.registration_token_hash = claim_client.token_hash
  returning client.* into adopted;
  if not found then
    return;
  end if;
  perform set_config('platform.adopted_app', adopted.app_id, true);
  update app
  set team_id = claim_client.team_id
  where app.id = adopted.app_id;
  perform set_config('platform.adopted_app', '', true);
  delete from team
  where team.id = former_team;
  insert into app (team_id, name, logo_url)
  select app.team_id, app.name, app.logo_url
  from app
  where app.id = adopted.app_id
  returning app.id into production_app_id;
  insert into redirect (app_id, redirect_uri)
  select production_app_id, redirect.redirect_uri
  from redirect
  where redirect.app_id = adopted.app_id;
  return query
  insert into sign_in_client as client (
    app_id,
    secret_hash,
    token_endpoint_auth_method,
    application_type,
    response_types
  )
  select
    production_app_id,
    case when not adopted.is_public then claim_client.secret_hash end,
    adopted.token_endpoint_auth_method,
    adopted.application_type,
    adopted.response_types
  returning client.*;
end
$$;
