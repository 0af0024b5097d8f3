-- Undoes ops/carry-over/set-aside.sql: restores the tables of the earlier version, adds the people that this version has
-- counted for actions of the earlier version, and drops the tables of this version with all other rows. Actions that accept
-- protocol 4.0 become inactive, because the earlier version knows only protocol 3.0, in which people have other nullifiers.
-- So no person can count twice. Instructions: docs/operations/upgrade.md. Run it as superuser while no service runs, then start the earlier
-- version.

begin;
-- Without the list of the dropped objects. The number of people below is of the level "info", which is always printed.
set local client_min_messages = warning;
drop schema if exists adapted cascade;
alter schema public rename to newer;
drop schema if exists hdb_catalog cascade;
alter schema earlier rename to public;
alter schema earlier_hdb_catalog rename to hdb_catalog;

do $$
declare
  kept bigint := 0;
begin
  -- There is no such table if the undone version has not started.
  if to_regclass('newer.nullifier') is not null then
    insert into public.nullifier (action_id, nullifier_hash, uses, created_at)
    select newer.action_id, newer.nullifier_hash, newer.uses, newer.created_at
    from newer.nullifier as newer
    join public.action on action.id = newer.action_id
    left join public.nullifier as former on former.action_id = newer.action_id
      and former.nullifier_hash = newer.nullifier_hash
    where former.uses is null or former.uses < newer.uses
    on conflict (action_id, nullifier_hash) do update
    set uses = excluded.uses;
    get diagnostics kept = row_count;
    update public.action
    set status = 'inactive'
    from newer.action as newer
    where newer.id = action.id
      and newer.protocol <> '3.0';
  end if;
  raise info 'nullifier: % people counted since the upgrade are kept', kept;
end
$$;

drop schema newer cascade;
commit;
