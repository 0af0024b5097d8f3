-- Functions for all tables: generated ids, the time of the last change, columns that never change.

-- Creates an id: a prefix and 32 hex digits. gen_random_uuid() uses the operating system's strong random source.
create function make_id(prefix text) returns text
language sql volatile
as $$
  select prefix || '_' || replace(gen_random_uuid()::text, '-', '')
$$;

-- Gives a new row its id. Replaces an id that the statement contains: only seeds and tests may choose ids, with "set local
-- platform.fixed_ids = 'on'" in their transaction.
create function set_id() returns trigger
language plpgsql
as $$
begin
  if new.id is null or coalesce(current_setting('platform.fixed_ids', true), '') <> 'on' then
    new.id := make_id(tg_argv[0]);
  end if;
  return new;
end
$$;

create function set_updated_at() returns trigger
language plpgsql
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

-- Refuses every update for which the trigger's "when" is true. The trigger's argument names the column in the error.
create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% cannot be changed', tg_argv[0]
    using errcode = 'integrity_constraint_violation';
end
$$;
