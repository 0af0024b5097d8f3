import { isRecord } from '../../json/record.ts'
import { type Catalog, catalogKey } from '../../postgres/catalog.ts'
import { entriesOf } from '../edit/entries.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import type { Node } from '../edit/node.ts'

/** Removes the custom names and comments of columns that were dropped from the tables of a source. */
export function withoutDroppedColumns(
  document: MetadataDocument,
  { source, before, after }: { source: string; before: Catalog; after: Catalog },
): MetadataDocument {
  const dropped = droppedColumns(before, after)
  if (dropped.size === 0) return document
  const sources = entriesOf(document, 'sources').map((entry) => {
    if (entry.name !== source) return entry
    const tables = entriesOf(entry, 'tables').map((table) =>
      withoutColumns(table, dropped.get(catalogKeyOf(table.table)) ?? []),
    )
    return { ...entry, tables }
  })
  return { ...document, sources }
}

/** Returns the names of the dropped columns, by the current key of their table. */
function droppedColumns(before: Catalog, after: Catalog): Map<string, readonly string[]> {
  const old = new Map([...before.tables.values()].map((table) => [table.oid, table]))
  const dropped = [...after.tables.values()].map((table) => {
    const numbers = new Set(table.columns.map(({ number }) => number))
    const gone = old.get(table.oid)?.columns.filter(({ number }) => !numbers.has(number)) ?? []
    return [catalogKey(table), gone.map(({ name }) => name)] as const
  })
  return new Map(dropped.filter(([, names]) => names.length > 0))
}

function withoutColumns(table: Node, columns: readonly string[]): Node {
  const { configuration } = table
  if (columns.length === 0 || !isRecord(configuration)) return table
  const lists = ['column_config', 'custom_column_names'].flatMap((list) => {
    const byColumn = configuration[list]
    if (!isRecord(byColumn)) return []
    const remainingEntries = Object.entries(byColumn).filter(
      ([column]) => !columns.includes(column),
    )
    return [[list, Object.fromEntries(remainingEntries)] as const]
  })
  return { ...table, configuration: { ...configuration, ...Object.fromEntries(lists) } }
}
