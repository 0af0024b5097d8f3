-- Unlogged: counts of minutes and hours are worth no write-ahead log; a crash begins them again.
create unlogged table rate_limit (
  key text not null check (length(key) <= 200),
  ends_at timestamptz not null,
  hits integer not null check (hits > 0),
  primary key (key, ends_at)
)
with (fillfactor = 70);
comment on table rate_limit is 'How often somebody did something in a window of time, over all instances';
comment on column rate_limit.ends_at is 'When the window ends; the row is of no use after that';
create index rate_limit_ends_at_idx on rate_limit (ends_at);

-- Adds an instance's counts [{key, ends_at, hits}], and answers what all instances together have
-- counted. In the order of the keys, so that two instances never wait for each other.
create function count_hits(counted jsonb) returns setof rate_limit
language sql volatile
as $$
  with over as (
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
