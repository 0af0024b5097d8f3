-- Apps as relying parties of protocol 4.0 of World ID. Their ids are in …_ids_and_timestamps and …_apps_and_actions.

create table request_key (
  id text primary key,
  app_id text not null references app on delete cascade,
  address text not null
    constraint request_key_address_is_canonical check (address ~ '^0x[0-9a-f]{40}$'),
  is_active boolean not null default true,
  created_at timestamptz not null default now()
);
comment on table request_key is 'A key with which an app signs requests for proofs; only its address is stored. An app has at most eleven';
comment on column request_key.address is 'The Ethereum address of the key, in lower case';
comment on column request_key.is_active is 'False once the key was replaced; an app has at most one active key';
create index request_key_app_id_idx on request_key (app_id);
create unique index request_key_active_app_id_key on request_key (app_id)
where is_active;
create trigger set_id before insert on request_key
for each row execute function set_id('rpk');
create trigger keep_row before update on request_key
for each row when ((old.app_id, old.address) is distinct from (new.app_id, new.address) or new.is_active)
execute function refuse_change('request_key');
create trigger audit after insert or update or delete on request_key
for each row execute function record_in_audit('app_id', 'address', 'is_active');

-- Stores a request signing key of an app, and returns the app's active key. With `replaces`, the stored key replaces the
-- active key. Otherwise an active key stays, and the caller compares the addresses. The caller must be an owner, an admin or an
-- API key of the app's team. Returns no row for other callers, and for an unknown or archived app. Concurrent calls for an app
-- wait for each other, so that each sees the committed keys. Deletes all but the last ten replaced keys, so that rotations do
-- not fill the table. The audit trail has all keys.
create function store_request_key(
  app_id text,
  address text,
  replaces boolean,
  user_id text default null,
  api_key_id text default null
) returns setof request_key
language plpgsql volatile
as $$
begin
  perform
  from app
  where app.id = store_request_key.app_id
    and not app.is_archived
    and (
      is_team_key(store_request_key.api_key_id, app.team_id)
      or exists (
        select
        from membership
        where membership.team_id = app.team_id
          and membership.user_id = store_request_key.user_id
          and membership.role in ('OWNER', 'ADMIN')
      )
    )
  for no key update;
  if not found then
    return;
  end if;
  update request_key
  set is_active = false
  where request_key.app_id = store_request_key.app_id
    and request_key.is_active
    and replaces;
  -- The time after the lock, unlike the time at the begin of the transaction, has the order of the keys.
  insert into request_key (app_id, address, created_at)
  values (store_request_key.app_id, store_request_key.address, clock_timestamp())
  on conflict do nothing;
  delete from request_key
  where request_key.id in (
    select former.id
    from request_key as former
    where former.app_id = store_request_key.app_id
      and not former.is_active
    order by former.created_at desc, former.id
    offset 10
  );
  return query
  select *
  from request_key
  where request_key.app_id = store_request_key.app_id
    and request_key.is_active;
end
$$;

-- Returns an action of an app. If the app has no action with this identifier, creates the action with protocol 4.0 and limit
-- 1. Returns no row unless the app is active and creates actions, nor for an identifier with outer spaces. The team's quota of
-- actions holds here as well, although a service calls this function. Like keep_quota, inserts the action before it waits for
-- the lock of the quota, so that two inserts of the same action never deadlock.
create function find_or_create_action(app_id text, action text) returns setof action
language plpgsql volatile
as $$
declare
  creating app;
  allowed quota;
begin
  select app.*
  into creating
  from app
  where app.id = find_or_create_action.app_id
    and app.creates_actions
    and has_no_outer_spaces(find_or_create_action.action)
    and app.status = 'active'
    and not app.is_archived
  for key share;
  if not found then
    return;
  end if;
  insert into action (app_id, action, name, protocol)
  values (
    creating.id,
    find_or_create_action.action,
    without_control_characters(left(find_or_create_action.action, 128)),
    '4.0'
  )
  on conflict on constraint action_app_id_action_key do nothing;
  if found then
    perform pg_advisory_xact_lock(hashtextextended('action ' || creating.team_id, 0));
    select quota.*
    into allowed
    from quota
    where quota.kind = 'action';
    if (
      select count(*)
      from quota_row
      where quota_row.kind = 'action'
        and quota_row.owner_id = creating.team_id
    ) > allowed.most then
      raise exception 'quota_exceeded: at most % %', allowed.most, allowed.description
        using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return query
  select known.*
  from action as known
  where known.app_id = creating.id
    and known.action = find_or_create_action.action;
end
$$;
