import { z } from 'zod'
import { nodesOf, QualifiedName, sourceOf } from '../document/document.ts'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import {
  type CatalogColumn,
  type CatalogTable,
  type PgType,
  readCatalog,
} from '../postgres/catalog.ts'
import type { Carry, Command } from './command.ts'

const OfSource = z.object({ source: z.string() })

/** `pg_get_source_tables`: all tables and views of the database, tracked or not. */
export async function getSourceTables(
  { args }: Command,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  sourceOf(store.current().document, parseArgs(OfSource, args))
  const { rows } = await engine.pool.query<{ name: string; schema: string }>(TABLES)
  return rows
}

/** `pg_get_table_info`: the database's description of one table, tracked or not; null if there is none. */
export async function getTableInfo(
  { args }: Command,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { table: key, source } = parseArgs(OfSource.extend({ table: QualifiedName }), args)
  sourceOf(store.current().document, { source })
  const { tables } = await readCatalog(engine.pool, engine.schemaCache().metadata)
  const table = [...tables.values()].find(({ schema, name }) => `${schema}.${name}` === key)
  if (!table) return null
  const { rows } = await engine.pool.query<{ type: string }>(KIND, [table.oid])
  return { ...shownTable(table), type: rows[0]?.type }
}

/** `pg_get_native_query`, `pg_get_logical_model`: all those of a source, as their author wrote them. */
export function getListed(list: 'native_queries' | 'logical_models'): Carry {
  return async ({ args }, { services: { store } }) => {
    const { source } = parseArgs(OfSource, args)
    const sources = nodesOf(store.current().document, 'sources')
    const found = sources.find(({ name }) => name === source)
    if (found) return nodesOf(found, list)
    const message = `Source '${source}' of kind postgres not found.`
    throw new EngineError('not-found', message, { path: '$.args', status: 400 })
  }
}

function shownTable({ name, schema, insertable, updatable, deletable, ...table }: CatalogTable) {
  const foreignKeys = table.foreignKeys.map((key) => [
    key.name,
    {
      foreign_table: { name: key.table, schema: key.schema },
      column_mapping: Object.fromEntries(
        key.columns.map((column, i) => [column, key.foreignColumns[i]]),
      ),
    },
  ])
  return {
    name: { name, schema },
    columns: table.columns.map(shownColumn),
    ...(table.primaryKey && { primary_key: table.primaryKey.columns }),
    ...(foreignKeys.length > 0 && { foreign_keys: Object.fromEntries(foreignKeys) }),
    insertable,
    updatable,
    deletable,
  }
}

function shownColumn({ name, type, nullable, comment, generated }: CatalogColumn) {
  return {
    name,
    type: spelling(type),
    nullable,
    ...(comment !== null && { description: comment }),
    insertable: !generated,
    updatable: !generated,
  }
}

function spelling({ name, element }: PgType): string {
  if (element !== null) return `${SPELLINGS[element] ?? element}[]`
  return SPELLINGS[name] ?? name
}

/** Types for which Hasura uses other names than PostgreSQL's catalogue. */
const SPELLINGS: Readonly<Partial<Record<string, string>>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  bool: 'boolean',
}

/** Lists tables and views without partitions, which are not tracked. */
const TABLES = `
select table_name as name, table_schema as schema
from information_schema.tables
where table_schema not in ('information_schema', 'pg_catalog', 'hdb_catalog')
  and not exists (
    select from pg_inherits
    where inhrelid = to_regclass(format('%I.%I', table_schema, table_name))
  )
order by table_schema, table_name`

const KIND = `select case when relkind in ('v', 'm') then 'view' else 'table' end as type
from pg_class where oid = $1`
