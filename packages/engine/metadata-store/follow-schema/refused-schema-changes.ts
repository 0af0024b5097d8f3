import type { SourceModel } from '../../compiler/model/model.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../json/record.ts'
import { type Catalog, catalogKey } from '../../postgres/catalog.ts'
import { entriesOf } from '../edit/entries.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import type { Node } from '../edit/node.ts'
import { renameInDocument } from './renames.ts'

/** A change of a database's schema. `source` is the model of the database's source before the change. */
type Change = { document: MetadataDocument; before: Catalog; after: Catalog; source: SourceModel }

/**
 * Rejects changes of a database's schema that would change the meaning of the metadata: functions that become volatile or
 * overloaded, and new types of columns that permissions compare or set.
 *
 * @throws not-supported, dependency-error
 */
export function refuseSchemaChange(change: Change): void {
  refuseFunctionChanges(change)
  refuseTypeChanges(change)
}

function refuseFunctionChanges({ before, after, source }: Change) {
  for (const { schema, name } of source.functions) {
    const key = catalogKey({ schema, name })
    const change = functionChange(key, before, after)
    if (change === 'overloaded')
      throw notSupported(`the following tracked function(s) cannot be overloaded: ${key}`)
    if (change === 'volatile')
      throw notSupported(
        `type of function "${key}" is altered to "VOLATILE" which is not supported now`,
      )
  }
  for (const table of source.tables.values())
    for (const computedField of table.computedFields.values()) {
      const key = catalogKey(computedField)
      const change = functionChange(key, before, after)
      if (change === null) continue
      const subject = `"${key}" associated with computed field "${computedField.field}" of table "${catalogKey(table)}"`
      throw notSupported(
        change === 'volatile'
          ? `The type of function ${subject} is being altered to "VOLATILE"`
          : `The function ${subject} is being overloaded`,
      )
    }
}

function functionChange(
  key: string,
  before: Catalog,
  after: Catalog,
): 'overloaded' | 'volatile' | null {
  const [old, current] = [before.functions.get(key) ?? [], after.functions.get(key) ?? []]
  if (current.length > 1 && current.length > old.length) return 'overloaded'
  const wasStable = old.every(({ volatility }) => volatility !== 'v')
  return wasStable && current.some(({ volatility }) => volatility === 'v') ? 'volatile' : null
}

function notSupported(message: string): EngineError {
  return new EngineError('not-supported', message, { path: '$' })
}

function refuseTypeChanges({ document, before, after, source }: Change) {
  const newTables = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  for (const old of before.tables.values())
    for (const { number, name, type } of old.columns) {
      const column = newTables
        .get(old.oid)
        ?.columns.find((candidate) => candidate.number === number)
      if (!column || JSON.stringify(column.type) === JSON.stringify(type)) continue
      const dependents = permissionsUsingColumn(document, {
        table: catalogKey(old),
        column: name,
        source,
      })
      if (dependents.length === 0) continue
      const message = `cannot change type of column "${name}" in table "${catalogKey(old)}" because of the following dependencies: ${dependents.join(', ')}`
      throw new EngineError('dependency-error', message, { path: '$' })
    }
}

type ColumnOfSource = { table: string; column: string; source: SourceModel }

/** Finds the permissions that compare or set a column. A permission does so if a rename of the column would change it. */
function permissionsUsingColumn(
  document: MetadataDocument,
  { table, column, source }: ColumnOfSource,
): string[] {
  const fields = new Map([[table, new Map([[column, `${column} by another name`]])]])
  const changed = renameInDocument(document, { tables: new Map(), fields }, source)
  const renamed = permissionTexts(changed, source.name)
  return [...permissionTexts(document, source.name)].flatMap(([name, text]) =>
    renamed.get(name) === text ? [] : [`${name} in source "${source.name}"`],
  )
}

/** Returns the conditions and presets of each permission of a source as text, by the permission's name in messages. */
function permissionTexts(document: MetadataDocument, sourceName: string): Map<string, string> {
  const sources = entriesOf(document, 'sources').filter(({ name }) => name === sourceName)
  const tables = sources.flatMap((source) => entriesOf(source, 'tables'))
  return new Map(
    tables.flatMap((table) => KINDS.flatMap((kind) => tablePermissionTexts(table, kind))),
  )
}

const KINDS = ['insert', 'select', 'update', 'delete'] as const

function tablePermissionTexts(table: Node, kind: (typeof KINDS)[number]): [string, string][] {
  const key = catalogKeyOf(table.table)
  return entriesOf(table, `${kind}_permissions`).map(({ role, permission }) => {
    const { filter = null, check = null, set = null } = isRecord(permission) ? permission : {}
    return [`permission ${key}.${role}.${kind}`, JSON.stringify([filter, check, set])]
  })
}
