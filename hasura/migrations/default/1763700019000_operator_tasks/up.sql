-- The operator's tasks: mutations of the role reviewer (docs/operations/tasks.md). Each task writes at least one record of
-- the audit trail. The functions take locks in the order of …_teams_and_users.

-- Records a task whose subject is no row of an audited table.
create function record_task(team_id text, operation text, subject text, subject_id text, changes jsonb) returns audit
language sql volatile
as $$
  insert into audit (team_id, actor_role, operation, subject, subject_id, changes)
  values (
    record_task.team_id,
    coalesce(nullif(current_setting('hasura.user', true), '')::jsonb ->> 'x-hasura-role', 'database'),
    record_task.operation,
    record_task.subject,
    record_task.subject_id,
    record_task.changes
  )
  returning *
$$;

-- Creates an app with an id that the operator chooses, such as the id that the team's app has in another service. The audit
-- trail has the app's record. Two calls at the same time create one app, since the id is the primary key.
create function create_app_with_id(app_id text, team_id text, name text, is_staging boolean) returns setof app
language plpgsql volatile
as $$
begin
  if app_id !~ '^app_(staging_)?[0-9a-f]{32}$' then
    raise exception 'app_id must be app_ or app_staging_ and 32 lower-case hex digits; got %', app_id
      using errcode = 'invalid_parameter_value';
  end if;
  if (app_id like 'app\_staging\_%') <> create_app_with_id.is_staging then
    raise exception 'the id of a staging app begins with app_staging_, and no other id does; got % with is_staging %', app_id, create_app_with_id.is_staging
      using errcode = 'invalid_parameter_value';
  end if;
  perform
  from team
  where team.id = create_app_with_id.team_id
    and team.deleted_at is null
  for key share;
  if not found then
    raise exception 'there is no team %', create_app_with_id.team_id
      using errcode = 'invalid_parameter_value';
  end if;
  perform set_config('platform.fixed_ids', 'on', true);
  return query
  insert into app (id, team_id, name, is_staging)
  values (app_id, create_app_with_id.team_id, create_app_with_id.name, create_app_with_id.is_staging)
  on conflict do nothing
  returning *;
  if not found then
    raise exception 'there is an app % already', app_id
      using errcode = 'integrity_constraint_violation';
  end if;
  perform set_config('platform.fixed_ids', '', true);
end
$$;

-- Blocks a team: revokes its keys and archives its apps. Until the team is unblocked, triggers refuse to undo this. Returns
-- no row for an unknown or deleted team. A second call only changes the reason.
create function block_team(team_id text, reason text) returns setof team
language plpgsql volatile
as $$
begin
  -- Waits for concurrent inserts of apps and keys, which hold a key share lock. The updates below then see their rows.
  perform
  from team
  where team.id = block_team.team_id
    and team.deleted_at is null
  for update;
  if not found then
    return;
  end if;
  update team
  set blocked_at = coalesce(blocked_at, now()), block_reason = reason
  where team.id = block_team.team_id;
  -- Also updates revoked keys and archived apps, so that a concurrent request to restore one waits, and is then refused.
  update api_key
  set is_active = false
  where api_key.team_id = block_team.team_id;
  update app
  set is_archived = true
  where app.team_id = block_team.team_id;
  return query
  select *
  from team
  where team.id = block_team.team_id;
end
$$;

-- Ends the block of a team. The keys stay revoked and the apps archived until an owner activates them again. Returns no row
-- if the team is not blocked.
create function unblock_team(team_id text) returns setof team
language sql volatile
as $$
  update team
  set blocked_at = null, block_reason = null
  where team.id = unblock_team.team_id
    and team.blocked_at is not null
  returning *
$$;

-- Deletes everything that is stored about a nullifier: its counts with the repeatable verifications, and the state of its
-- sign-ins. Returns the records of the audit trail: one for each action and one for each app with sign-ins, with the
-- numbers of deleted rows. The records do not contain the nullifier.
create function delete_person(nullifier_hash text) returns setof audit
language plpgsql volatile
as $$
declare
  digits text := lpad(lower(regexp_replace(delete_person.nullifier_hash, '^0x', '', 'i')), 64, '0');
  found_action record;
  deleted_uses integer;
  repeatable bigint;
  signed_in record;
begin
  if delete_person.nullifier_hash !~* '^0x[0-9a-f]{1,64}$' then
    raise exception 'nullifier_hash must be 0x and 1 to 64 hex digits; got %', delete_person.nullifier_hash
      using errcode = 'invalid_parameter_value';
  end if;
  -- "offset 0" makes PostgreSQL look for the nullifier action by action, with the primary key of the action's partition.
  -- There is no index on the hash alone.
  for found_action in
    select action.id, app.team_id
    from action
    join app on app.id = action.app_id
    cross join lateral (
      select
      from nullifier
      where nullifier.action_id = action.id
        and nullifier.nullifier_hash = '0x' || digits
      offset 0
    ) as person
    order by action.id
  loop
    select count(*)
    into repeatable
    from counted_request
    where counted_request.action_id = found_action.id
      and counted_request.nullifier_hash = '0x' || digits;
    delete from nullifier
    where nullifier.action_id = found_action.id
      and nullifier.nullifier_hash = '0x' || digits
    returning uses into deleted_uses;
    if found then
      return next record_task(
        found_action.team_id,
        'delete',
        'person',
        found_action.id,
        jsonb_build_object(
          'uses', jsonb_build_object('old', deleted_uses),
          'counted_requests', jsonb_build_object('old', repeatable)
        )
      );
    end if;
  end loop;
  -- There is no index, because each row lives at most 71 minutes, and so the table stays small enough. Most rows are tokens
  -- and grants, which have the nullifier only in accountId; to search their text takes three times as long.
  for signed_in in
    with deleted as (
      delete from oidc_artifact
      where strpos(
        case when model in ('AccessToken', 'Grant') then payload ->> 'accountId' else payload::text end,
        digits
      ) > 0
      returning coalesce(payload ->> 'clientId', payload #>> '{params,client_id}', '') as app_id
    )
    select deleted.app_id, app.team_id, count(*) as artifacts
    from deleted
    left join app on app.id = deleted.app_id
    group by deleted.app_id, app.team_id
    order by deleted.app_id
  loop
    return next record_task(
      signed_in.team_id,
      'delete',
      'person',
      signed_in.app_id,
      jsonb_build_object('oidc_artifacts', jsonb_build_object('old', signed_in.artifacts))
    );
  end loop;
end
$$;

-- Deletes an account for the operator, like delete_account without a password. Returns the record of the audit trail, and no
-- row for an unknown user. Fails if the user is the last owner of a team with other members.
create function delete_user_account(user_id text) returns setof audit
language plpgsql volatile
as $$
declare
  teams bigint;
begin
  perform
  from "user"
  where "user".id = delete_user_account.user_id
  for update;
  if not found then
    return;
  end if;
  select count(*)
  into teams
  from membership
  where membership.user_id = delete_user_account.user_id;
  perform delete_account(delete_user_account.user_id);
  if exists (select from "user" where "user".id = delete_user_account.user_id) then
    raise exception 'the user % is the last owner of a team with other members: make another member an owner first',
      delete_user_account.user_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return next record_task(
    null,
    'delete',
    'user',
    delete_user_account.user_id,
    jsonb_build_object('teams', jsonb_build_object('old', teams))
  );
end
$$;
