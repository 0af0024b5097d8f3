import { escapeLiteral, type Pool } from 'pg'
import { z } from 'zod'
import type { SourceMetadata } from '../metadata/metadata.ts'
import { compileSql, ident, sql } from './sql.ts'

/**
 * Reads the catalogue of a database: tables and views with columns, keys and comments, functions, and the rows of the
 * enum tables in the metadata. Objects of an extension are read only if they are tracked, because some extensions have
 * a thousand functions.
 */
export async function readCatalog(
  pool: Queries,
  { tables: tracked, functions: trackedFunctions }: TrackedObjects,
): Promise<Catalog> {
  const names = [
    ...tracked.map(({ table }) => table),
    ...trackedFunctions.map((entry) => entry.function),
  ]
  const results: unknown = await pool.query({ text: catalogStatement(names), rowMode: 'array' })
  const [, { rows }] = CatalogResults.parse(results)
  const [[facts]] = rows
  const tables = new Map(facts.tables.map((table) => [catalogKey(table), table]))
  const functions = Map.groupBy(facts.functions, catalogKey)
  const types = new Set(facts.types)
  return { tables, functions, types, enums: await readEnumValues(pool, tracked, tables) }
}

/**
 * Returns the name by which maps and messages identify a table or function: `schema.name`, or only `name` in the schema
 * `public`.
 */
export function catalogKey({ schema, name }: { schema: string; name: string }): string {
  return schema === 'public' ? name : `${schema}.${name}`
}

/** Converts `schema.name`, which always has the schema, to the key of `catalogKey`. */
export function shortKey(key: string): string {
  return key.replace(/^public\./, '')
}

/** The tables and functions that the metadata names. */
type TrackedObjects = Pick<SourceMetadata, 'tables' | 'functions'>

/** A pool, or a client inside a transaction. */
type Queries = Pick<Pool, 'query'>

const PgType = z.object({
  schema: z.string(),
  name: z.string(),
  /** pg_type.typtype: b base, c composite, d domain, e enum, r range, p pseudo. */
  kind: z.string(),
  /** The name of the element type if the type is an array; otherwise null. */
  element: z.string().nullable(),
  /** The base type of a domain. */
  base: z.object({ schema: z.string(), name: z.string(), kind: z.string() }).nullable(),
})

const Column = z.object({
  /** pg_attribute.attnum, which stays the same when the column is renamed. */
  number: z.number(),
  name: z.string(),
  type: PgType,
  nullable: z.boolean(),
  hasDefault: z.boolean(),
  /** True if mutations cannot write the column: it is generated, or an identity `generated always`. */
  generated: z.boolean(),
  comment: z.string().nullable(),
})

const Key = z.object({ name: z.string(), columns: z.array(z.string()) })

const ForeignKey = Key.extend({
  schema: z.string(),
  table: z.string(),
  foreignColumns: z.array(z.string()),
})

const CatalogTable = z.object({
  oid: z.number(),
  schema: z.string(),
  name: z.string(),
  comment: z.string().nullable(),
  insertable: z.boolean(),
  updatable: z.boolean(),
  deletable: z.boolean(),
  /**
   * True if a read touches only the table's own rows. Such a table is an ordinary table from which no table inherits. No
   * row-level policy on it applies to the engine.
   */
  readsOwnRowsOnly: z.boolean(),
  /**
   * True if an insert changes only the table's own rows. Such a table is an ordinary table without rules. It has no triggers
   * except the engine's and PostgreSQL's internal triggers. No default calls a function in SQL or in a procedural language.
   */
  insertsOwnRowsOnly: z.boolean(),
  canHaveRowTriggers: z.boolean(),
  columns: z.array(Column),
  primaryKey: Key.nullable(),
  uniqueKeys: z.array(Key),
  /** Unique indexes that are not constraints. `columns` leaves out the expressions of an index. */
  uniqueIndexes: z.array(Key),
  foreignKeys: z.array(ForeignKey),
})

const CatalogFunction = z.object({
  oid: z.number(),
  schema: z.string(),
  name: z.string(),
  comment: z.string().nullable(),
  volatility: z.enum(['i', 's', 'v']),
  returnsSet: z.boolean(),
  returnType: PgType,
  /** The oid in `pg_class` of the table or composite type that the function returns; null for any other type. */
  returnTable: z.number().nullable(),
  args: z.array(z.object({ name: z.string(), type: PgType, table: z.number().nullable() })),
  defaults: z.number(),
  variadic: z.boolean(),
})

const Facts = z.object({
  tables: z.array(CatalogTable),
  functions: z.array(CatalogFunction),
  types: z.array(z.string()),
})

/** The results of the three statements that read the catalogue. */
const CatalogResults = z.tuple([
  z.unknown(),
  z.object({ rows: z.tuple([z.tuple([Facts])]) }),
  z.unknown(),
])

export type PgType = z.infer<typeof PgType>
export type CatalogColumn = z.infer<typeof Column>
export type CatalogTable = z.infer<typeof CatalogTable>
export type CatalogFunction = z.infer<typeof CatalogFunction>
export type EnumValue = { value: string; comment: string | null }

export type Catalog = {
  tables: ReadonlyMap<string, CatalogTable>
  functions: ReadonlyMap<string, readonly CatalogFunction[]>
  /** The names of the base types of all schemas. */
  types: ReadonlySet<string>
  /** The rows of each enum table, by the key of `catalogKey`. */
  enums: ReadonlyMap<string, readonly EnumValue[]>
}

async function readEnumValues(
  pool: Queries,
  tracked: SourceMetadata['tables'],
  tables: ReadonlyMap<string, CatalogTable>,
): Promise<Map<string, EnumValue[]>> {
  const enumTables = tracked
    .filter(({ is_enum }) => is_enum)
    .flatMap(({ table }) => tables.get(catalogKey(table)) ?? [])
  const values = enumTables.map(
    async (table) => [catalogKey(table), await readEnumTable(pool, table)] as const,
  )
  return new Map(await Promise.all(values))
}

async function readEnumTable(pool: Queries, table: CatalogTable): Promise<EnumValue[]> {
  const value = table.primaryKey?.columns[0]
  const comment = table.columns.find(({ name }) => name !== value)?.name
  if (value === undefined || table.columns.length > 2) return []
  const columns = compileSql(
    sql`select ${ident(value)}::text as value, ${comment === undefined ? sql`null` : ident(comment)}::text as comment
      from ${ident(table.schema, table.name)} order by 1`,
  )
  return z.array(EnumRow).parse((await pool.query(columns)).rows)
}

const EnumRow = z.object({ value: z.string(), comment: z.string().nullable() })

const TYPE = (oid: string) => `(
  select json_build_object('schema', tn.nspname, 'name', t.typname, 'kind', t.typtype,
    'element', case when t.typcategory = 'A' then e.typname end, 'base', case when b.oid is not null
      then json_build_object('schema', bn.nspname, 'name', b.typname, 'kind', b.typtype) end)
  from pg_type t join pg_namespace tn on tn.oid = t.typnamespace
    left join pg_type e on e.oid = t.typelem
    left join pg_type b on b.oid = t.typbasetype
    left join pg_namespace bn on bn.oid = b.typnamespace
  where t.oid = ${oid})`

const NAMES = (table: string, numbers: string) => `(
  select json_agg(a.attname order by k.position)
  from unnest(${numbers}) with ordinality k (number, position)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number)`

const CATALOG = (tracked: string) => `
with tracked as materialized (
  select * from json_to_recordset(${tracked}) as names (schema text, name text)
), visible as (
  select oid, nspname from pg_namespace
  where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'hdb_catalog')
), extension_member as (
  select classid, objid from pg_depend where deptype = 'e'
), relation as materialized (
  select c.*, n.nspname from pg_class c join visible n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p')
    and (
      not exists (select from extension_member where classid = 'pg_class'::regclass and objid = c.oid)
      or (n.nspname, c.relname) in (select schema, name from tracked)
    )
), columns as (
  select a.attrelid, json_agg(json_build_object(
      'number', a.attnum, 'name', a.attname, 'type', ${TYPE('a.atttypid')}, 'nullable', not a.attnotnull,
      'hasDefault', a.atthasdef or a.attidentity <> '',
      'generated', a.attgenerated <> '' or a.attidentity = 'a',
      'comment', d.description) order by a.attnum) as list
  from pg_attribute a
    left join pg_description d
      on d.objoid = a.attrelid and d.classoid = 'pg_class'::regclass and d.objsubid = a.attnum
  where a.attrelid in (select oid from relation) and a.attnum > 0 and not a.attisdropped
  group by a.attrelid
), keys as (
  select conrelid, contype, json_agg(json_build_object(
      'name', conname, 'columns', ${NAMES('conrelid', 'conkey')}) order by conname) as list
  from pg_constraint where contype in ('p', 'u') group by conrelid, contype
), unique_indexes as (
  select i.indrelid, json_agg(json_build_object(
      'name', c.relname, 'columns', coalesce(${NAMES('i.indrelid', 'i.indkey::int2[]')}, '[]')) order by c.relname) as list
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indisunique and not exists (select from pg_constraint where conindid = i.indexrelid)
  group by i.indrelid
), foreign_keys as (
  select c.conrelid, json_agg(json_build_object(
      'name', c.conname, 'columns', ${NAMES('c.conrelid', 'c.conkey')},
      'schema', fn.nspname, 'table', f.relname,
      'foreignColumns', ${NAMES('c.confrelid', 'c.confkey')}) order by c.conname) as list
  from pg_constraint c join pg_class f on f.oid = c.confrelid
    join pg_namespace fn on fn.oid = f.relnamespace
  where c.contype = 'f' and c.conparentid = 0 group by c.conrelid
), triggered as (
  select t.tgrelid from pg_trigger t join pg_proc f on f.oid = t.tgfoid
  where not t.tgisinternal
    and (f.pronamespace::regnamespace::text, left(f.proname, 14)) <> ('hdb_catalog', 'notify_hasura_')
), computed_default as (
  select a.adrelid from pg_attrdef a
    join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = a.oid
    join pg_proc f on d.refclassid = 'pg_proc'::regclass and d.refobjid = f.oid
    join pg_language l on l.oid = f.prolang
  where l.lanname not in ('internal', 'c')
), tables as (
  select json_build_object(
    'oid', c.oid::bigint, 'schema', c.nspname, 'name', c.relname, 'comment', obj_description(c.oid, 'pg_class'),
    'insertable', pg_relation_is_updatable(c.oid, true) & 8 = 8,
    'updatable', pg_relation_is_updatable(c.oid, true) & 4 = 4,
    'deletable', pg_relation_is_updatable(c.oid, true) & 16 = 16,
    'readsOwnRowsOnly', c.relkind = 'r' and not c.relhassubclass and not row_security_active(c.oid),
    'canHaveRowTriggers', c.relkind in ('r', 'p', 'f'),
    'insertsOwnRowsOnly', c.relkind = 'r' and not c.relhasrules
      and not exists (select from triggered where tgrelid = c.oid)
      and not exists (select from computed_default where adrelid = c.oid),
    'columns', coalesce(columns.list, '[]'), 'primaryKey', p.list -> 0,
    'uniqueKeys', coalesce(u.list, '[]'), 'uniqueIndexes', coalesce(x.list, '[]'), 'foreignKeys', coalesce(f.list, '[]')) as fact
  from relation c
    left join columns on columns.attrelid = c.oid
    left join keys p on p.conrelid = c.oid and p.contype = 'p'
    left join keys u on u.conrelid = c.oid and u.contype = 'u'
    left join unique_indexes x on x.indrelid = c.oid
    left join foreign_keys f on f.conrelid = c.oid
), functions as (
  select json_build_object(
    'oid', p.oid::bigint, 'schema', n.nspname, 'name', p.proname, 'comment', obj_description(p.oid, 'pg_proc'),
    'volatility', p.provolatile, 'returnsSet', p.proretset, 'returnType', ${TYPE('p.prorettype')},
    'returnTable', (select nullif(typrelid, 0)::bigint from pg_type where oid = p.prorettype),
    'variadic', p.provariadic <> 0, 'defaults', p.pronargdefaults,
    'args', coalesce((
      select json_agg(json_build_object(
        'name', coalesce(p.proargnames[i.position], ''), 'type', ${TYPE('i.type')},
        'table', (select nullif(typrelid, 0)::bigint from pg_type where oid = i.type)) order by i.position)
      from unnest(p.proargtypes) with ordinality i (type, position)), '[]')) as fact
  from pg_proc p join visible n on n.oid = p.pronamespace
  where p.prokind = 'f'
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    and (
      not exists (select from extension_member where classid = 'pg_proc'::regclass and objid = p.oid)
      or (n.nspname, p.proname) in (select schema, name from tracked)
    )
)
select json_build_object(
  'tables', coalesce((select json_agg(fact) from tables), '[]'),
  'functions', coalesce((select json_agg(fact) from functions), '[]'),
  'types', (select json_agg(typname) from pg_type where typtype = 'b'))`

/**
 * Returns the statements that read the catalogue. Turns JIT off: PostgreSQL estimates the cost of reading every
 * possible function, so it would compile the statement for two seconds. Without JIT the statement takes 20 ms.
 */
function catalogStatement(tracked: readonly { schema: string; name: string }[]): string {
  const names = escapeLiteral(JSON.stringify(tracked))
  return `set local jit = off; ${CATALOG(names)}; set local jit to default`
}
