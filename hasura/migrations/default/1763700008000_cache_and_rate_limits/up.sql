create table cache (
  key text primary key,
  value text not null,
  updated_at timestamptz not null default now()
);
comment on table cache is 'Cached results of other services, such as the address of a name';
create trigger set_updated_at before update on cache
for each row execute function set_updated_at();

-- The table is unlogged, because short-lived counts need no write-ahead log. After a crash it is empty.
create unlogged table rate_limit (
  key text not null check (length(key) <= 200),
  ends_at timestamptz not null,
  hits integer not null check (hits > 0),
  primary key (key, ends_at)
)
with (fillfactor = 70);
comment on table rate_limit is 'The requests of a caller within a window of time, of all instances together';
comment on column rate_limit.ends_at is 'When the window ends and the row can be deleted';
create index rate_limit_ends_at_idx on rate_limit (ends_at);

-- Adds the counts of one instance, [{key, ends_at, hits}], and returns the totals of all instances. Writes the rows in the
-- order of their keys, so that two instances never deadlock. Also deletes up to 1,000 rows of windows that ended more than
-- a minute ago.
create function count_hits(counted jsonb) returns setof rate_limit
language sql volatile
as $$
  with deleted_windows as (
    delete from rate_limit
    where (key, ends_at) in (
      select key, ends_at
      from rate_limit
      where ends_at < now() - interval '1 minute'
      limit 1000
      for update skip locked
    )
  )
  insert into rate_limit (key, ends_at, hits)
  select hit.key, hit.ends_at, sum(hit.hits)
  from jsonb_to_recordset(counted) as hit (key text, ends_at timestamptz, hits integer)
  group by hit.key, hit.ends_at
  order by hit.key, hit.ends_at
  on conflict (key, ends_at) do update
  set hits = rate_limit.hits + excluded.hits
  returning *
$$;
