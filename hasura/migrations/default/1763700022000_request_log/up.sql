-- The request log: the refused requests of each app, for the team's developers. It has no proofs, no nullifiers and no
-- addresses of callers. An app keeps the last 1,000 rows, and a row is kept for a day.

-- The table is logged, although its rows are short-lived: a team looks for refused requests after a crash or a failover, and
-- a standby cannot read an unlogged table. A process writes at most 300 rows a second, so a flood of wrong requests adds a
-- fifth of a megabyte a second to the write-ahead log.
create table refused_request (
  id text primary key default make_id('ref'),
  app_id text not null references app on delete cascade,
  created_at timestamptz not null default now(),
  endpoint text not null check (length(endpoint) between 1 and 100),
  code text not null check (length(code) between 1 and 64),
  attribute text check (length(attribute) <= 100),
  detail text not null check (length(detail) <= 300),
  reasons jsonb not null default '[]' check (length(reasons::text) <= 1024),
  request_id text not null check (length(request_id) between 1 and 64),
  times integer not null default 1 check (times > 0)
);
comment on table refused_request is 'A verification or a sign-in that the service refused, kept for a day; the last 1,000 of an app';
comment on column refused_request.endpoint is 'The path without ids, such as /api/v2/verify or /token';
comment on column refused_request.code is 'The error code of the response, or the OAuth error that the website received';
comment on column refused_request.attribute is 'The field of the request that was refused';
comment on column refused_request.reasons is 'For all_verifications_failed: the codes of the proofs, without repetitions';
comment on column refused_request.request_id is 'The id of the first request, which the response has as X-Request-Id';
comment on column refused_request.times is 'How many requests of the same second were refused for the same reason';
create index refused_request_app_id_created_at_id_idx on refused_request (app_id, created_at, id);
create index refused_request_created_at_idx on refused_request (created_at);

-- Deletes rows that are more than a day old, the oldest first. Skips rows that another transaction is deleting.
create function remove_old_refused_requests(most integer) returns setof refused_request
language sql volatile
as $$
  delete from refused_request
  where id in (
    select id
    from refused_request
    where created_at <= now() - interval '1 day'
    order by created_at
    limit most
    for update skip locked
  )
  returning *
$$;

-- Stores refused requests, [{app, created_at, endpoint, code, attribute, detail, reasons, request_id, times}], and returns the
-- stored rows. "app" is the id of an app, of its relying party or of one of its actions. An unknown app gets no row, and an
-- app that another transaction is deleting neither. Deletes the oldest rows of these apps above 1,000, and 1,000 rows of any
-- app that are more than a day old: a call deletes at least as many old rows as it may store.
--
-- One call runs at a time, so that each sees the committed rows: an app never has more than 1,000.
create function record_refused_requests(refused jsonb) returns setof refused_request
language plpgsql volatile
set lock_timeout = '2s'
as $$
declare
  names text[] := array(
    select distinct request.app
    from jsonb_to_recordset(refused) as request (app text)
  );
  written text[];
  apps text[];
begin
  perform pg_advisory_xact_lock(hashtextextended('refused_request', 0));
  with known as materialized (
    select app.id as name, app.id as app_id
    from app
    where app.id = any (names)
    union all
    select app.rp_id, app.id
    from app
    where app.rp_id = any (names)
    union all
    select action.id, action.app_id
    from action
    where action.id = any (names)
  ),
  -- Skips an app that is being deleted. The foreign key would wait for it.
  lasting as materialized (
    select app.id
    from app
    where app.id in (select known.app_id from known)
    for key share skip locked
  ),
  stored as (
    insert into refused_request (
      app_id, created_at, endpoint, code, attribute, detail, reasons, request_id, times
    )
    select
      known.app_id,
      -- A clock that is ahead must not make a row that outlives the day.
      least(request.created_at, now()),
      request.endpoint,
      request.code,
      request.attribute,
      request.detail,
      request.reasons,
      request.request_id,
      request.times
    from jsonb_to_recordset(refused) as request (
      app text,
      created_at timestamptz,
      endpoint text,
      code text,
      attribute text,
      detail text,
      reasons jsonb,
      request_id text,
      times integer
    )
    join known on known.name = request.app
    join lasting on lasting.id = known.app_id
    returning refused_request.id, refused_request.app_id
  )
  select array_agg(stored.id), array_agg(distinct stored.app_id)
  into written, apps
  from stored;
  with surplus as materialized (
    select app.id as app_id, newest.created_at, newest.id
    from unnest(apps) as app (id)
    cross join lateral (
      select refused_request.created_at, refused_request.id
      from refused_request
      where refused_request.app_id = app.id
      order by refused_request.created_at desc, refused_request.id desc
      offset 1000
      limit 1
    ) as newest
  )
  delete from refused_request
  using surplus
  where refused_request.app_id = surplus.app_id
    and (refused_request.created_at, refused_request.id) <= (surplus.created_at, surplus.id);
  perform from remove_old_refused_requests(1000);
  return query
  select refused_request.*
  from refused_request
  where refused_request.id = any (written);
end
$$;
