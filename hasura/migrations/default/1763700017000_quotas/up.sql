-- How much a team, an app or a user may have, so that no tenant's rows slow down what all share, such as the refresh of
-- payments. Only what comes through GraphQL counts against a quota: the operator may insert as many rows as they like.

create table quota (
  kind text primary key,
  most integer not null check (most >= 0),
  description text not null
);
comment on table quota is 'How many rows of a kind each owner may have; the operator may change it';
insert into quota (kind, most, description)
values
  ('app', 200, 'apps, archived ones included, in a team'),
  ('action', 2000, 'actions in a team'),
  ('api_key', 50, 'active API keys in a team'),
  ('redirect', 50, 'redirects in an app'),
  ('invite', 200, 'open invites in a team'),
  ('transaction', 1000, 'pending transactions in a team'),
  ('team', 50, 'teams that one user owns');

-- The rows that count, with their owners.
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
comment on view quota_row is 'Every row that counts against a quota, and whose quota it is';

-- Refuses a statement after which an owner of the given rows would have more of a kind than its quota. Statements that
-- add rows of the same owner wait for each other here, and then count what the others have committed.
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

-- The argument is the kind. The ids are no join: PostgreSQL would take the statement's rows for a thousand, and read
-- whole tables for them.
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

-- For rows that begin to count when a column changes, which is the second argument. Other changes are free: so whoever
-- has more than a quota that was lowered may still change what they have.
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
