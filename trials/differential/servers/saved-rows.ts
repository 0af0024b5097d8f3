import { type GraphqlServer, runSqlOn } from './graphql-server.ts'

/** Saves the current rows of all tables, and the values of all sequences, in the schema `differential`. */
export async function saveRows(server: GraphqlServer): Promise<void> {
  await runSqlOn(server, SAVE_ROWS)
}

/** Restores the saved rows and sequences. */
export async function restoreRows(server: GraphqlServer): Promise<void> {
  await runSqlOn(server, 'select differential.restore()')
}

/** Writes the rows of all tables as a text. Equal rows give equal texts. */
export async function rowsText(server: GraphqlServer): Promise<string> {
  const [[text = ''] = []] = await runSqlOn(server, 'select differential.rows_text()')
  return text
}

// A superuser switches triggers off while rows are restored. For other roles, the order in which the tables were created satisfies the
// foreign keys.
const SAVE_ROWS = `
create schema differential;
create view differential.tables as
  select c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) as name,
    format('differential.%I', n.nspname || '.' || c.relname) as copy_name,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and n.nspname !~ '^(pg_|hdb_|information_schema$|differential$)';
do $$ declare entry record; begin
  for entry in select * from differential.tables loop
    execute format('create table %s as table %s', entry.copy_name, entry.name);
  end loop;
end $$;
create table differential.sequences as
  select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value, last_value is not null as called
  from pg_sequences where schemaname !~ '^(pg_|hdb_|differential$)';
create function differential.restore() returns void language plpgsql as $$ declare entry record; begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    set local session_replication_role = replica;
  end if;
  for entry in select * from differential.tables order by oid desc loop
    execute format('delete from %s', entry.name);
  end loop;
  for entry in select * from differential.tables order by oid loop
    execute format('insert into %s (%s) overriding system value select %s from %s', entry.name, entry.columns, entry.columns, entry.copy_name);
  end loop;
  perform setval(name, value, called) from differential.sequences;
end $$;
create function differential.rows_text() returns text language plpgsql as $$ declare entry record; rows text; whole text := ''; begin
  for entry in select * from differential.tables order by nspname, relname loop
    execute format('select string_agg(line, E''\\n'' order by line) from (select to_jsonb(t)::text as line from %s t) lines', entry.name) into rows;
    whole := whole || entry.relname || ': ' || coalesce(rows, '') || E'\\n';
  end loop;
  return whole;
end $$`
