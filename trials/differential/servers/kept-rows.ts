import { type GraphqlServer, runSqlOn } from './graphql-server.ts'

/** Keeps the rows of all tables aside, as they are now. */
export async function keepRows(server: GraphqlServer): Promise<void> {
  await runSqlOn(server, KEEPING)
}

/** Puts the rows back that were kept, and the sequences. */
export async function restoreRows(server: GraphqlServer): Promise<void> {
  await runSqlOn(server, 'select differential.restore()')
}

/** The rows of all tables as a text, the same for the same rows. */
export async function rowsText(server: GraphqlServer): Promise<string> {
  const [[text = ''] = []] = await runSqlOn(server, 'select differential.rows_text()')
  return text
}

// No trigger fires while rows are put back, if the role may switch them off; otherwise foreign keys are kept by the order in
// which the tables were made.
const KEEPING = `
create schema differential;
create view differential.tables as
  select c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) as name,
    format('differential.%I', n.nspname || '.' || c.relname) as kept,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and n.nspname !~ '^(pg_|hdb_|information_schema$|differential$)';
do $$ declare one record; begin
  for one in select * from differential.tables loop
    execute format('create table %s as table %s', one.kept, one.name);
  end loop;
end $$;
create table differential.sequences as
  select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value, last_value is not null as called
  from pg_sequences where schemaname !~ '^(pg_|hdb_|differential$)';
create function differential.restore() returns void language plpgsql as $$ declare one record; begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    set local session_replication_role = replica;
  end if;
  for one in select * from differential.tables order by oid desc loop
    execute format('delete from %s', one.name);
  end loop;
  for one in select * from differential.tables order by oid loop
    execute format('insert into %s (%s) overriding system value select %s from %s', one.name, one.columns, one.columns, one.kept);
  end loop;
  perform setval(name, value, called) from differential.sequences;
end $$;
create function differential.rows_text() returns text language plpgsql as $$ declare one record; rows text; whole text := ''; begin
  for one in select * from differential.tables order by nspname, relname loop
    execute format('select string_agg(line, E''\\n'' order by line) from (select to_jsonb(t)::text as line from %s t) lines', one.name) into rows;
    whole := whole || one.relname || ': ' || coalesce(rows, '') || E'\\n';
  end loop;
  return whole;
end $$`
