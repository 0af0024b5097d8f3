import type { SourceModel } from '../../compiler/model/model.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../json/record.ts'
import { type Catalog, catalogKey } from '../../postgres/catalog.ts'
import { entriesOf } from '../edit/entries.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import type { Node } from '../edit/node.ts'
import { renameInDocument } from './renames.ts'

/** `source` is as it was before. */
type Change = { document: MetadataDocument; before: Catalog; after: Catalog; source: SourceModel }

/**
 * Refuses changes of the schema of a source's database after which the metadata would mean something else: functions that become
 * volatile or overloaded, and new types of columns whose values permissions compare or set.
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
    const found = functionChange(key, before, after)
    if (found === 'overloaded')
      throw notSupported(`the following tracked function(s) cannot be overloaded: ${key}`)
    if (found === 'volatile')
      throw notSupported(
        `type of function "${key}" is altered to "VOLATILE" which is not supported now`,
      )
  }
  for (const table of source.tables.values())
    for (const computed of table.computedFields.values()) {
      const key = catalogKey(computed)
      const found = functionChange(key, before, after)
      if (found === null) continue
      const whose = `"${key}" associated with computed field "${computed.field}" of table "${catalogKey(table)}"`
      throw notSupported(
        found === 'volatile'
          ? `The type of function ${whose} is being altered to "VOLATILE"`
          : `The function ${whose} is being overloaded`,
      )
    }
}

function functionChange(
  key: string,
  before: Catalog,
  after: Catalog,
): 'overloaded' | 'volatile' | null {
  const [was, is] = [before.functions.get(key) ?? [], after.functions.get(key) ?? []]
  if (is.length > 1 && is.length > was.length) return 'overloaded'
  const calm = was.every(({ volatility }) => volatility !== 'v')
  return calm && is.some(({ volatility }) => volatility === 'v') ? 'volatile' : null
}

function notSupported(message: string): EngineError {
  return new EngineError('not-supported', message, { path: '$' })
}

function refuseTypeChanges({ document, before, after, source }: Change) {
  const now = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  for (const old of before.tables.values())
    for (const { number, name, type } of old.columns) {
      const column = now.get(old.oid)?.columns.find((candidate) => candidate.number === number)
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

type Compared = { table: string; column: string; source: SourceModel }

/** The permissions that compare or set a column's values: those that renaming the column would change. */
function permissionsUsingColumn(
  document: MetadataDocument,
  { table, column, source }: Compared,
): string[] {
  const fields = new Map([[table, new Map([[column, `${column} by another name`]])]])
  const changed = renameInDocument(document, { tables: new Map(), fields }, source)
  const renamed = permissionTexts(changed, source.name)
  return [...permissionTexts(document, source.name)].flatMap(([name, text]) =>
    renamed.get(name) === text ? [] : [`${name} in source "${source.name}"`],
  )
}

/** What each permission of a source compares and sets, as text, by the permission's name in messages. */
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
