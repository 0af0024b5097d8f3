import { type Client, escapeIdentifier } from 'pg'

/**
 * Selects an `alter … owner to` statement, without the new owner, for each object that the first role (oid 10) owns in a database.
 * Excludes PostgreSQL's built-in objects, members of extensions, and objects that follow the owner of another object: row types,
 * sequences of columns.
 */
const OBJECTS = `
select 'alter '
    || case type when 'statistics object' then 'statistics' else type end
    || ' ' || identity || ' owner to ' as statement
from (
  select 'pg_namespace'::regclass as class, oid from pg_namespace where nspowner = 10
  union all
  select 'pg_class', oid from pg_class where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'pg_proc', oid from pg_proc where proowner = 10
  union all
  select 'pg_type', oid from pg_type where typowner = 10 and typcategory <> 'A'
  union all
  select 'pg_operator', oid from pg_operator where oprowner = 10
  union all
  select 'pg_collation', oid from pg_collation where collowner = 10
  union all
  select 'pg_statistic_ext', oid from pg_statistic_ext where stxowner = 10
  union all
  select 'pg_ts_dict', oid from pg_ts_dict where dictowner = 10
  union all
  select 'pg_ts_config', oid from pg_ts_config where cfgowner = 10
) object, pg_identify_object(class, oid, 0)
where oid >= 16384
and not exists (
  select from pg_depend
  where classid = class and objid = oid and objsubid = 0
  and (deptype in ('e', 'i') or (deptype = 'a' and type = 'sequence'))
)
and type <> 'composite type'`

/**
 * Gives a role all objects that PostgreSQL's first role created in a database. `reassign owned` rejects the first role.
 *
 * @param client a superuser's connection to the database
 */
export async function handOverObjects(client: Client, role: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(OBJECTS)
  for (const { statement } of rows) await client.query(statement + escapeIdentifier(role))
  // PostgreSQL has no statement that changes the owner of an extension. The role must own plpgsql, because dumps set a comment on it.
  await client.query('update pg_extension set extowner = $1::regrole where extowner = 10', [role])
}
