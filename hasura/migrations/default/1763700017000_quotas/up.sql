-- The maximum number of rows that a team, an app or a user may have. Without a maximum, one team's rows could slow down
-- shared work, such as the refresh of payments. The triggers apply quotas only to requests of users and API keys: the
-- operator may insert any number of rows.

create table quota (
  kind text primary key,
  most integer not null check (most >= 0),
  description text not null
);
comment on table quota is 'The maximum number of rows of a kind for each owner; the operator may change it';
create trigger audit after update on quota
for each row execute function record_in_audit('most');
insert into quota (kind, most, description)
values
  ('app', 200, 'apps, archived ones included, in a team'),
  ('action', 2000, 'actions in a team'),
  ('api_key', 50, 'active API keys in a team'),
  ('redirect', 50, 'redirects in an app'),
  ('invite', 200, 'open invites in a team'),
  ('transaction', 1000, 'pending transactions in a team'),
  ('team', 50, 'teams that one user owns');

-- The rows that quotas limit, each with the team, app or user that it counts for.
create view quota_row as
select 'app' as kind, id, team_id as owner_id
from app
union all
select 'action', action.id, app.team_id
from action
join app on app.id = action.app_id
union all
select 'api_key', id, team_id
from api_key
where is_active
union all
select 'redirect', id, app_id
from redirect
union all
select 'invite', id, team_id
from invite
union all
select 'transaction', id, team_id
from transaction
where transaction_status = 'pending'
union all
select 'team', id, user_id
from membership
where role = 'OWNER';
comment on view quota_row is 'Every row that counts against a quota, with the owner of the quota';

-- Refuses a statement if an owner of the rows `ids` would exceed a quota. Concurrent statements for the same owner wait for
-- each other, so that each counts the committed rows.
create function refuse_beyond_quota(of_kind text, ids text[]) returns void
language plpgsql
as $$
declare
  session jsonb := coalesce(nullif(current_setting('hasura.user', true), '')::jsonb, '{}');
  owners text[];
  exceeded quota;
begin
  if coalesce(session ->> 'x-hasura-user-id', session ->> 'x-hasura-team-id') is null then
    return;
  end if;
  owners := array(
    select distinct owner_id
    from quota_row
    where kind = of_kind
      and id = any (ids)
    order by owner_id
  );
  perform pg_advisory_xact_lock(hashtextextended(of_kind || ' ' || owner, 0))
  from unnest(owners) as owner;
  select quota.*
  into exceeded
  from quota
  where quota.kind = of_kind
    and exists (
      select
      from quota_row
      where quota_row.kind = of_kind
        and quota_row.owner_id = any (owners)
      group by quota_row.owner_id
      having count(*) > quota.most
    );
  if found then
    raise exception 'quota_exceeded: at most % %', exceeded.most, exceeded.description
      using errcode = 'integrity_constraint_violation';
  end if;
end
$$;

-- Checks the quota of the kind that the argument names. Passes the ids as an array. For a join, PostgreSQL would estimate a
-- thousand rows, and read whole tables.
create function keep_quota() returns trigger
language plpgsql
as $$
begin
  perform refuse_beyond_quota(tg_argv[0], array(
    select id
    from written
  ));
  return null;
end
$$;

-- Checks the quota if the column that the second argument names changes, because the row may count from then on. Other
-- changes are always allowed, so that owners above a lowered quota can still change their rows.
create function keep_quota_on_update() returns trigger
language plpgsql
as $$
begin
  perform refuse_beyond_quota(tg_argv[0], array(
    select written.id
    from written
    join replaced on replaced.id = written.id
    where to_jsonb(written) -> tg_argv[1] <> to_jsonb(replaced) -> tg_argv[1]
  ));
  return null;
end
$$;

create trigger keep_quota after insert on app
referencing new table as written
for each statement execute function keep_quota('app');
create trigger keep_quota after insert on action
referencing new table as written
for each statement execute function keep_quota('action');
create trigger keep_quota after insert on api_key
referencing new table as written
for each statement execute function keep_quota('api_key');
create trigger keep_quota_on_update after update on api_key
referencing old table as replaced new table as written
for each statement execute function keep_quota_on_update('api_key', 'is_active');
create trigger keep_quota after insert on redirect
referencing new table as written
for each statement execute function keep_quota('redirect');
create trigger keep_quota after insert on invite
referencing new table as written
for each statement execute function keep_quota('invite');
create trigger keep_quota after insert on transaction
referencing new table as written
for each statement execute function keep_quota('transaction');
create trigger keep_quota after insert on membership
referencing new table as written
for each statement execute function keep_quota('team');
create trigger keep_quota_on_update after update on membership
referencing old table as replaced new table as written
for each statement execute function keep_quota_on_update('team', 'role');
