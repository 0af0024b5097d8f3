-- An id is its prefix and 32 hex digits; gen_random_uuid draws from the strong random source.
create function make_id(prefix text) returns text
language sql volatile
as $$
  select prefix || '_' || replace(gen_random_uuid()::text, '-', '')
$$;

-- Ids are the database's to give: what a caller passes is replaced. Seeds, and nobody else,
-- may fix one, by "set local platform.fixed_ids = 'on'" in their transaction.
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
