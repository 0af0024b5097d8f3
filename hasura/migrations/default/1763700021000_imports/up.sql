-- Imports: the operator brings over the actions of an app and their people from another service (docs/operations/import.md).
-- The command import-app calls these functions. Each may be repeated: a repeated call changes nothing.

create table import (
  action_id text primary key references action on delete cascade,
  people bigint not null default 0,
  uses bigint not null default 0,
  people_above_limit bigint not null default 0,
  status_after text not null check (status_after in ('active', 'inactive')),
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
comment on table import is 'An action whose people the operator imports, with the totals of the last complete import';
comment on column import.status_after is 'The status that the action gets when the first import is complete';
comment on column import.finished_at is 'The time of the first complete import';

-- Begins the import of an action, and creates the action if the app has none of this name. A created action is inactive
-- until finish_import, so that a person who is not imported yet cannot verify once more. Changes no existing action.
create function start_import(
  app_id text, action_id text, action text, name text, description text, max_verifications integer, status text, protocol text
) returns setof import
language plpgsql volatile
as $$
declare
  known_id text;
  known_protocol text;
begin
  perform from app where app.id = start_import.app_id;
  if not found then
    raise exception 'there is no app %', start_import.app_id
      using errcode = 'invalid_parameter_value';
  end if;
  if start_import.action_id !~ '^(action|wid|wid_staging)_[0-9a-f]{32}$' then
    raise exception 'action_id must be action_, wid_ or wid_staging_ and 32 lower-case hex digits; got %', start_import.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  if not has_no_outer_spaces(start_import.action) then
    raise exception 'the action "%" begins or ends with a space: the platform does not accept this identifier', start_import.action
      using errcode = 'invalid_parameter_value';
  end if;
  select action.id, action.protocol
  into known_id, known_protocol
  from action
  where action.app_id = start_import.app_id
    and action.action = start_import.action
  for key share;
  if not found then
    perform set_config('platform.fixed_ids', 'on', true);
    insert into action (id, app_id, action, name, description, max_verifications, protocol, status)
    values (
      start_import.action_id,
      start_import.app_id,
      start_import.action,
      start_import.name,
      start_import.description,
      start_import.max_verifications,
      start_import.protocol,
      'inactive'
    )
    on conflict (id) do nothing
    returning id into known_id;
    if not found then
      raise exception 'there is another action with the id %: leave the id out', start_import.action_id
        using errcode = 'invalid_parameter_value';
    end if;
    perform set_config('platform.fixed_ids', '', true);
    insert into import (action_id, status_after)
    values (known_id, start_import.status);
  elsif known_id like 'wid\_%' <> coalesce(start_import.action_id like 'wid\_%', false) then
    -- Actions of the first protocol compute nullifiers differently (lib/proof/scope.ts).
    raise exception 'the action "%" has the id % here, and % in the import: their nullifiers differ', start_import.action, known_id, start_import.action_id
      using errcode = 'invalid_parameter_value';
  elsif known_protocol not in ('both', start_import.protocol) then
    raise exception 'the action "%" accepts protocol % here, and its people in the import are of protocol %: their nullifiers differ', start_import.action, known_protocol, start_import.protocol
      using errcode = 'invalid_parameter_value';
  end if;
  insert into import (action_id, status_after)
  select action.id, action.status
  from action
  where action.id = known_id
  on conflict do nothing;
  return query
  select *
  from import
  where import.action_id = known_id;
end
$$;

-- Imports people, [{nullifier_hash, uses, created_at}], in one statement. Adds the uses that an earlier import has not
-- brought over, so a repeated call adds nothing, no count is lowered, and concurrent verifications stay counted. Inserts in
-- the order of record_nullifiers, so that the two never deadlock.
create function import_people(action_id text, people jsonb) returns setof import
language plpgsql volatile
as $$
begin
  -- Two imports of an action wait for each other.
  perform
  from import
  where import.action_id = import_people.action_id
  for update;
  if not found then
    raise exception 'no import of the action % has begun: call start_import first', import_people.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  insert into nullifier as stored (action_id, nullifier_hash, uses, imported, created_at)
  select
    import_people.action_id,
    person.nullifier_hash,
    max(person.uses),
    max(person.uses),
    coalesce(min(person.created_at), now())
  from jsonb_to_recordset(people) as person (nullifier_hash text, uses integer, created_at timestamptz)
  group by person.nullifier_hash
  order by person.nullifier_hash
  on conflict on constraint nullifier_pkey do update
  set
    uses = stored.uses + excluded.imported - coalesce(stored.imported, 0),
    imported = excluded.imported,
    created_at = least(stored.created_at, excluded.created_at)
  where excluded.imported > coalesce(stored.imported, 0);
  return query
  select *
  from import
  where import.action_id = import_people.action_id;
end
$$;

-- Counts the imported people of an action, and fails if the totals differ from the source's. Then records the totals, and
-- the first time gives the action its status.
create function finish_import(action_id text, people bigint, uses bigint) returns setof import
language plpgsql volatile
as $$
declare
  former import;
  stored_people bigint;
  stored_uses bigint;
  above_limit bigint;
begin
  select *
  into former
  from import
  where import.action_id = finish_import.action_id
  for update;
  if not found then
    raise exception 'no import of the action % has begun: call start_import first', finish_import.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  select
    count(*),
    coalesce(sum(nullifier.imported), 0),
    count(*) filter (where action.max_verifications > 0 and nullifier.uses > action.max_verifications)
  into stored_people, stored_uses, above_limit
  from nullifier
  join action on action.id = nullifier.action_id
  where nullifier.action_id = finish_import.action_id
    and nullifier.imported is not null;
  if (stored_people, stored_uses) <> (finish_import.people, finish_import.uses) then
    raise exception 'the source has % people with % uses for the action %, and % people with % uses are stored',
      finish_import.people, finish_import.uses, finish_import.action_id, stored_people, stored_uses
      using errcode = 'integrity_constraint_violation';
  end if;
  if former.finished_at is null then
    update action
    set status = former.status_after
    where action.id = finish_import.action_id
      and action.status <> former.status_after;
  end if;
  if former.finished_at is null or (former.people, former.uses) <> (stored_people, stored_uses) then
    perform record_task(
      (select app.team_id from app join action on action.app_id = app.id where action.id = finish_import.action_id),
      'insert',
      'import',
      finish_import.action_id,
      jsonb_build_object(
        'people', jsonb_build_object('old', former.people, 'new', stored_people),
        'uses', jsonb_build_object('old', former.uses, 'new', stored_uses)
      )
    );
  end if;
  return query
  update import
  set
    people = stored_people,
    uses = stored_uses,
    people_above_limit = above_limit,
    finished_at = coalesce(import.finished_at, now())
  where import.action_id = finish_import.action_id
  returning *;
end
$$;
