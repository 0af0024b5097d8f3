import { z } from 'zod'
import { Table } from '../../../metadata/tables.ts'
import { addEntry, dropEntry, inSequence, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { QualifiedKey } from '../../../metadata-store/edit/keys.ts'
import type {
  DocumentEdit,
  MetadataDocument,
} from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { Args, findSource, findTable, trackedTables } from '../../../metadata-store/edit/places.ts'
import { acceptBareName, refuseFunctionName } from '../../../metadata-store/edit/tracked-names.ts'
import {
  type CatalogColumn,
  type CatalogTable,
  type PgType,
  readCatalog,
} from '../../../postgres/catalog.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { applyDrop, applyToEach } from '../apply-edit.ts'
import type { Command, CommandRequest } from '../command.ts'
import { hasuraTypeName } from '../type-names.ts'

const trackTable = acceptBareName(
  'table',
  inSequence(
    addEntry(trackedTables, pickArgs('table', 'configuration', 'is_enum')),
    refuseFunctionName,
  ),
)
const untrackTable = dropEntry(trackedTables)

/** Commands on tables. */
export const tableCommands: readonly Command[] = [
  { type: 'pg_track_table', edit: trackTable, createdType: 'table' },
  {
    type: 'pg_track_tables',
    run: applyToEach('tables', { edit: trackTable, createdType: 'table' }),
  },
  { type: 'pg_untrack_table', edit: untrackTable, apply: applyDrop },
  { type: 'pg_untrack_tables', run: applyToEach('tables', { edit: untrackTable }) },
  {
    type: 'pg_set_table_customization',
    edit: inSequence(requireConfiguration, setTablePart('configuration')),
    createdType: 'table',
  },
  { type: 'pg_set_table_is_enum', edit: setTablePart('is_enum'), createdType: 'table' },
  { type: 'pg_get_source_tables', run: getSourceTables },
  { type: 'pg_get_table_info', run: getTableInfo },
]

function requireConfiguration(_document: MetadataDocument, args: unknown) {
  parseArgs(z.object({ configuration: Args }), args)
}

/** Creates an edit that sets a part of a tracked table's metadata: its configuration, or whether it is an enum. */
function setTablePart(field: string): DocumentEdit {
  return (document, args) => {
    const table = findTable(document, args)
    parseArgs(Table, args)
    table[field] = parseArgs(Args, args)[field]
  }
}

const SourceArgs = z.object({ source: z.string() })

/** `pg_get_source_tables`: lists tables and views of the database, tracked or not. */
async function getSourceTables(
  { args }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { source } = parseArgs(SourceArgs, args)
  findSource(store.current().document, { source })
  const pool = engine.sourcePool(source)
  const { rows } = await pool.query<{ name: string; schema: string }>(SELECT_TABLES)
  return rows
}

/** Selects tables and views, except PostgreSQL's and the engine's own, partitions, and other tables that inherit from a table. */
const SELECT_TABLES = `
select table_name as name, table_schema as schema
from information_schema.tables
where table_schema not in ('information_schema', 'pg_catalog', 'hdb_catalog')
  and not exists (
    select from pg_inherits
    where inhrelid = to_regclass(format('%I.%I', table_schema, table_name))
  )
order by table_schema, table_name`

/** `pg_get_table_info`: describes a table of the database, tracked or not. Returns null if it does not exist. */
async function getTableInfo(
  { args }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { table: key, source } = parseArgs(SourceArgs.extend({ table: QualifiedKey }), args)
  findSource(store.current().document, { source })
  const pool = engine.sourcePool(source)
  const { tables } = await readCatalog(pool, { tables: [], functions: [] })
  const table = [...tables.values()].find(({ schema, name }) => `${schema}.${name}` === key)
  if (!table) return null
  const { rows } = await pool.query<{ type: string }>(SELECT_KIND, [table.oid])
  return { ...describeTable(table), type: rows[0]?.type }
}

const SELECT_KIND = `
select case when relkind in ('v', 'm') then 'view' else 'table' end as type
from pg_class where oid = $1`

function describeTable({ name, schema, insertable, updatable, deletable, ...table }: CatalogTable) {
  const foreignKeys = table.foreignKeys.map((key): [string, object] => [
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
    columns: table.columns.map(describeColumn),
    ...(table.primaryKey && { primary_key: table.primaryKey.columns }),
    ...(foreignKeys.length > 0 && { foreign_keys: Object.fromEntries(foreignKeys) }),
    insertable,
    updatable,
    deletable,
  }
}

function describeColumn({ name, type, nullable, comment, generated }: CatalogColumn) {
  return {
    name,
    type: typeSpelling(type),
    nullable,
    ...(comment !== null && { description: comment }),
    insertable: !generated,
    updatable: !generated,
  }
}

function typeSpelling({ name, element }: PgType): string {
  return element === null ? hasuraTypeName(name) : `${hasuraTypeName(element)}[]`
}
