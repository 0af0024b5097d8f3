-- Imports: the operator brings over the actions of an app and their people from another service (docs/operations/import.md).
-- The command import-app calls these functions. Each call may be retried: a retried call changes nothing. The audit trail has
-- a record of the begin of each import and one of its end, since each import has many calls of import_people.

create table import (
  action_id text primary key references action on delete cascade,
  source text not null
    constraint import_source_is_one_line check (source = without_control_characters(source))
    constraint import_source_is_short check (length(source) between 1 and 1024),
  people bigint not null default 0,
  uses bigint not null default 0,
  people_above_limit bigint not null default 0,
  status_after text check (status_after in ('active', 'inactive')),
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
comment on table import is 'An action whose people the operator imports, with the totals of the last complete import';
comment on column import.source is 'The file or the service that the people come from';
comment on column import.status_after is 'The status that finish_import gives an action that start_import has created; null if another caller chose a status';
comment on column import.finished_at is 'The time at which the last import was complete; null while an import runs';

-- Forgets the status that the import would give an action, once another caller has chosen a status.
create function keep_chosen_status() returns trigger
language plpgsql
as $$
begin
  update import
  set status_after = null
  where import.action_id = new.id
    and import.status_after is not null;
  return null;
end
$$;
create trigger keep_chosen_status after update of status on action
for each row when (old.status <> new.status) execute function keep_chosen_status();

-- Keeps the protocol of an action with an import, because the imported people have the nullifiers of this protocol.
-- keep_protocol, which runs first, locks the action, so start_import sees the old protocol or waits for the new one.
create function keep_protocol_of_import() returns trigger
language plpgsql
as $$
begin
  if exists (select from import where import.action_id = new.id) then
    raise exception 'protocol cannot be changed to %: people were imported into the action, and could verify again with the other protocol; create another action', new.protocol
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger keep_protocol_of_import before update of protocol on action
for each row when (old.protocol <> new.protocol) execute function keep_protocol_of_import();

-- Begins the import of an action, and creates the action if the app has none of this name. A created action is inactive
-- until finish_import, so that a person who is not imported yet cannot verify once more. Changes no existing action. Records
-- the source with its totals, unless the import of this source runs already.
create function start_import(
  app_id text, action_id text, action text, name text, description text, max_verifications integer, status text, protocol text,
  source text, people bigint, uses bigint
) returns setof import
language plpgsql volatile
as $$
declare
  known_id text;
  known_protocol text;
  is_created boolean := false;
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
  if start_import.status is null or start_import.status not in ('active', 'inactive') then
    raise exception 'status must be active or inactive; got %', start_import.status
      using errcode = 'invalid_parameter_value';
  end if;
  if not exists (
    select
    from action
    where action.app_id = start_import.app_id
      and action.action = start_import.action
  ) then
    perform set_config('platform.fixed_ids', 'on', true);
    -- Waits for a concurrent insert of the same action.
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
    on conflict do nothing;
    is_created := found;
    perform set_config('platform.fixed_ids', '', true);
  end if;
  select action.id, action.protocol
  into known_id, known_protocol
  from action
  where action.app_id = start_import.app_id
    and action.action = start_import.action
  for key share;
  if not found then
    raise exception 'there is another action with the id %: leave the id out', start_import.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  if known_id like 'wid\_%' <> coalesce(start_import.action_id like 'wid\_%', false) then
    -- Actions of the first protocol compute nullifiers differently (lib/proof/scope.ts).
    raise exception 'the action "%" has the id % here, and % in the import: their nullifiers differ', start_import.action, known_id, start_import.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  if known_protocol <> 'both' and known_protocol is distinct from start_import.protocol then
    raise exception 'the action "%" accepts protocol % here, and its people in the import are of protocol %: their nullifiers differ', start_import.action, known_protocol, start_import.protocol
      using errcode = 'invalid_parameter_value';
  end if;
  -- The new row counts as finished, so that the update below begins its import.
  insert into import (action_id, source, status_after, finished_at)
  values (known_id, start_import.source, case when is_created then start_import.status end, now())
  on conflict do nothing;
  update import
  set
    source = start_import.source,
    started_at = now(),
    finished_at = null
  where import.action_id = known_id
    and (import.finished_at is not null or import.source <> start_import.source);
  if found then
    perform record_import(
      known_id,
      'insert',
      jsonb_build_object(
        'action', jsonb_build_object('new', start_import.action),
        'source', jsonb_build_object('new', start_import.source),
        'people', jsonb_build_object('new', start_import.people),
        'uses', jsonb_build_object('new', start_import.uses)
      )
    );
  end if;
  return query
  select *
  from import
  where import.action_id = known_id;
end
$$;

-- Records the begin or the end of an import in the audit trail of the action's team.
create function record_import(action_id text, operation text, changes jsonb) returns audit
language sql volatile
as $$
  select record_task(app.team_id, record_import.operation, 'import', action.id, record_import.changes)
  from action
  join app on app.id = action.app_id
  where action.id = record_import.action_id
$$;

-- Imports people, [{nullifier_hash, uses, created_at}], in one statement. Adds the uses that an earlier import has not
-- brought over, so a repeated call adds nothing, no count is lowered, and concurrent verifications stay counted. Inserts in
-- the order of record_nullifiers, so that the two never deadlock.
create function import_people(action_id text, people jsonb) returns setof import
language plpgsql volatile
as $$
declare
  former import;
begin
  former := lock_import(import_people.action_id);
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
  -- Another run of the command may have finished the import in between.
  if found and former.finished_at is not null then
    update import
    set started_at = now(), finished_at = null
    where import.action_id = import_people.action_id;
    perform record_import(
      import_people.action_id,
      'insert',
      jsonb_build_object('source', jsonb_build_object('new', former.source))
    );
  end if;
  return query
  select *
  from import
  where import.action_id = import_people.action_id;
end
$$;

-- Locks an action and its import, and returns the import. Two imports of an action wait for each other. The action comes
-- first, as in an update of its status, which then updates the import, so that the two never deadlock.
create function lock_import(action_id text) returns import
language plpgsql volatile
as $$
declare
  locked import;
begin
  perform
  from action
  where action.id = lock_import.action_id
  for no key update;
  select *
  into locked
  from import
  where import.action_id = lock_import.action_id
  for update;
  if not found then
    raise exception 'no import of the action % has begun: call start_import first', lock_import.action_id
      using errcode = 'invalid_parameter_value';
  end if;
  return locked;
end
$$;

-- Counts the imported people of an action, and fails if the totals differ from the source's. Then records the totals. An
-- action that start_import has created gets its status, unless another caller has chosen a status in the meantime.
create function finish_import(action_id text, people bigint, uses bigint) returns setof import
language plpgsql volatile
as $$
declare
  former import;
  stored_people bigint;
  stored_uses bigint;
  above_limit bigint;
begin
  former := lock_import(finish_import.action_id);
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
  update action
  set status = former.status_after
  where action.id = finish_import.action_id
    and action.status <> former.status_after;
  if former.finished_at is null or (former.people, former.uses) <> (stored_people, stored_uses) then
    perform record_import(
      finish_import.action_id,
      'update',
      jsonb_build_object(
        'source', jsonb_build_object('new', former.source),
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
    status_after = null,
    finished_at = coalesce(import.finished_at, now())
  where import.action_id = finish_import.action_id
  returning *;
end
$$;
