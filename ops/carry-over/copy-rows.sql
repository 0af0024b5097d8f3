-- Copies the rows of the schema "earlier" (ops/carry-over/set-aside.sql) into the tables of this version, in one
-- transaction. Copies the tables and columns that exist in both versions. If the schema "adapted" has a view with the name
-- of a table (ops/carry-over/from-0.9.0.sql), copies the rows of the view. Instructions: docs/operations/upgrade.md.
-- Run it as superuser.
--
-- No trigger runs, so ids, times and the audit trail stay unchanged. If this version has a row with the same primary key,
-- such as a quota, the earlier row's values replace it. If a row violates a constraint of this version, the script fails
-- and copies nothing.

do $$
declare
  tables record;
  reference record;
  carried bigint;
  is_broken boolean;
begin
  -- A second copy would reset the counts of people to the earlier values.
  if exists (select from public.team) then
    raise exception 'this version has teams already: the rows have been copied before, or services have run';
  end if;
  perform set_config('session_replication_role', 'replica', true);

  for tables in
    select
      earlier.relname as name,
      source.oid::regclass as source,
      current_table.oid is null as is_gone,
      columns.names,
      columns.left_out,
      columns.changes,
      keys.names as key_names
    from pg_class as earlier
    cross join lateral (
      select coalesce(to_regclass(format('adapted.%I', earlier.relname))::oid, earlier.oid) as oid
    ) as source
    left join pg_class as current_table on current_table.relname = earlier.relname
      and current_table.relnamespace = 'public'::regnamespace
      and current_table.relkind in ('r', 'p')
    cross join lateral (
      select
        string_agg(quote_ident(old.attname), ', ' order by old.attnum) filter (where new.attnum is not null) as names,
        string_agg(quote_ident(old.attname), ', ' order by old.attnum) filter (where new.attnum is null) as left_out,
        string_agg(format('%1$I = excluded.%1$I', old.attname), ', ') filter (where new.attnum is not null) as changes
      from pg_attribute as old
      left join pg_attribute as new on new.attrelid = current_table.oid
        and new.attname = old.attname
        and not new.attisdropped
        and new.attgenerated = ''
      where old.attrelid = source.oid and old.attnum > 0 and not old.attisdropped and old.attgenerated = ''
    ) as columns
    cross join lateral (
      select string_agg(quote_ident(attribute.attname), ', ') as names
      from pg_index
      join pg_attribute as attribute on attribute.attrelid = indrelid and attribute.attnum = any (indkey)
      where indrelid = current_table.oid and indisprimary
    ) as keys
    where earlier.relnamespace = 'earlier'::regnamespace
      and earlier.relkind in ('r', 'p')
      and not earlier.relispartition
    order by earlier.relname
  loop
    if tables.is_gone or tables.names is null then
      raise notice '%: not copied, this version has no such table', tables.name;
      continue;
    end if;
    execute format('insert into public.%1$I (%2$s) select %2$s from %3$s', tables.name, tables.names, tables.source)
      || coalesce(format(' on conflict (%s) do update set %s', tables.key_names, tables.changes), '');
    get diagnostics carried = row_count;
    raise notice '%: % rows%', tables.name, carried, coalesce(', without ' || tables.left_out, '');
  end loop;

  -- PostgreSQL has not checked the foreign keys, because it checks them with triggers. So these queries check them.
  for reference in
    select
      conname as name,
      conrelid::regclass as child,
      confrelid::regclass as parent,
      string_agg(format('child.%I = parent.%I', child_column.attname, parent_column.attname), ' and ') as same,
      string_agg(format('child.%I is not null', child_column.attname), ' and ') as is_set
    from pg_constraint
    cross join lateral unnest(conkey, confkey) as pair (child_number, parent_number)
    join pg_attribute as child_column on child_column.attrelid = conrelid and child_column.attnum = pair.child_number
    join pg_attribute as parent_column on parent_column.attrelid = confrelid and parent_column.attnum = pair.parent_number
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    group by pg_constraint.oid
  loop
    execute format(
      'select exists (select from %s as child where %s and not exists (select from %s as parent where %s))',
      reference.child, reference.is_set, reference.parent, reference.same
    ) into is_broken;
    if is_broken then
      raise exception 'a row of % refers to a missing row of % (%)', reference.child, reference.parent, reference.name;
    end if;
  end loop;
end
$$;
analyze;
