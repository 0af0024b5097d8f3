import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Catalogs } from '../../compiler/model/build-model.ts'
import { type Inconsistency, inconsistencyKey } from '../../compiler/model/inconsistency.ts'
import type { Model } from '../../compiler/model/model.ts'
import { buildCheckedModel } from '../../compiler/schema/checked-model.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../json/record.ts'
import { Metadata } from '../../metadata/metadata.ts'
import type { Catalog } from '../../postgres/catalog.ts'
import type { Engine } from '../../runtime/engine.ts'
import { refuseNewInconsistencies } from '../consistency-rules.ts'
import { withoutInconsistent } from '../drop-inconsistent.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import { withoutDroppedColumns } from './dropped-columns.ts'
import { refuseSchemaChange } from './refused-schema-changes.ts'
import { renameInDocument, renamesBetween } from './renames.ts'

/** A change of a database's schema. `source` is the name of the database's source. */
type Change = {
  source: string
  document: MetadataDocument
  before: Catalog
  after: Catalog
  cascade: boolean
}

/**
 * Adapts the metadata to a changed schema of a database: follows renamed objects, and removes dropped objects. With `cascade`, also
 * removes their dependents. An object that was dropped and created again counts as new.
 *
 * @throws dependency-error with the names of the dependents, unexpected for other new inconsistencies, and the errors of
 *   `refuseSchemaChange`
 */
export function followSchemaChange(
  engine: Engine,
  { source, document, before, after, cascade }: Change,
): MetadataDocument {
  const { catalogs } = engine.schemaCache()
  const model = (of: MetadataDocument, catalog: Catalog) =>
    modelOf(engine, of, new Map([...catalogs, [source, catalog]]))
  const old = model(document, before)
  const changedSource = requireValue(old.sources.get(source), 'the source that was changed')
  refuseSchemaChange({ document, before, after, source: changedSource })
  const withNewNames = renameInDocument(document, renamesBetween(before, after), changedSource)
  const renamedDocument = withoutDroppedColumns(withNewNames, { source, before, after })
  const oldObjects = withoutReplacements(before, after)
  const droppedObjects = model(renamedDocument, oldObjects).inconsistencies.filter(
    (object) => object.source === source && isDropped(object, oldObjects),
  )
  const consistentDocument = withoutInconsistent(
    renamedDocument,
    newInconsistencies(droppedObjects, old),
  )
  const newDocument = withoutDependents(consistentDocument, old, {
    cascade,
    path: '$',
    model: (of) => model(of, oldObjects),
  })
  refuseNewInconsistencies([null], '$')(
    model(newDocument, after).inconsistencies,
    old.inconsistencies,
  )
  return newDocument
}

function modelOf(
  { config: settings, introspectedSchemas }: Engine,
  document: MetadataDocument,
  catalogs: Catalogs,
): Model {
  const metadata = Metadata.parse(document)
  return buildCheckedModel({ catalogs, metadata, introspected: introspectedSchemas(), settings })
}

/** Returns the catalogue after the change, without new objects that have the name of a dropped object. */
function withoutReplacements(before: Catalog, after: Catalog): Catalog {
  const tables = [...after.tables].flatMap(([key, table]) => {
    const oldTable = [...before.tables.values()].find(({ oid }) => oid === table.oid)
    if (!oldTable) return before.tables.has(key) ? [] : [[key, table] as const]
    const columns = table.columns.filter(
      ({ number, name }) =>
        oldTable.columns.some((old) => old.number === number) ||
        !oldTable.columns.some((old) => old.name === name),
    )
    return [[key, { ...table, columns }] as const]
  })
  const functions = [...after.functions].flatMap(([key, all]) => {
    const old = before.functions.get(key)
    const sameFunctions = old ? all.filter(({ oid }) => old.some((one) => one.oid === oid)) : all
    return sameFunctions.length === 0 ? [] : [[key, sameFunctions] as const]
  })
  return { ...after, tables: new Map(tables), functions: new Map(functions) }
}

/**
 * Adapts the metadata after an object was removed. With `cascade`, also removes its dependents.
 *
 * @throws dependency-error with the names of the dependents, without `cascade`
 */
export function followDrop(
  engine: Engine,
  document: MetadataDocument,
  cascade: boolean,
): MetadataDocument {
  const { model: old, catalogs } = engine.schemaCache()
  const model = (of: MetadataDocument) => modelOf(engine, of, catalogs)
  return withoutDependents(document, old, { cascade, path: '$.args', model })
}

/** The options for dropping dependents. `path` is the JSONPath of the error. */
type DropOptions = { cascade: boolean; path: string; model(document: MetadataDocument): Model }

/** Drops dependents, then their dependents, until there are no new inconsistencies. */
function withoutDependents(
  document: MetadataDocument,
  old: Model,
  { cascade, path, model }: DropOptions,
): MetadataDocument {
  const dependents = newInconsistencies(model(document).inconsistencies, old).filter(isDependent)
  if (dependents.length === 0) return document
  if (!cascade) throw dependencyError(dependents, path)
  const smaller = withoutInconsistent(document, dependents)
  if (JSON.stringify(smaller) === JSON.stringify(document)) throw dependencyError(dependents, path)
  return withoutDependents(smaller, old, { cascade, path, model })
}

/**
 * Reports whether an object can be dropped as a dependent. If any other object becomes inconsistent, the change fails. For example,
 * a table is no dependent: it becomes inconsistent only through its own columns or rows, such as an enum table without rows.
 */
function isDependent({ type }: Inconsistency): boolean {
  return DEPENDENT_TYPES.test(type)
}

const DEPENDENT_TYPES =
  /^(function|native_query|logical_model|computed_field|event_trigger)$|_(relation|permission|relationship)$/

function newInconsistencies(current: readonly Inconsistency[], { inconsistencies }: Model) {
  const oldKeys = new Set(inconsistencies.map(inconsistencyKey))
  return current.filter((object) => !oldKeys.has(inconsistencyKey(object)))
}

/** Reports whether an object is missing in the database itself; false for an object that only depends on a missing object. */
function isDropped({ type, definition }: Inconsistency, { tables, functions }: Catalog): boolean {
  if (type === 'table') return !tables.has(catalogKeyOf(definition))
  return type === 'function' && !functions.has(catalogKeyOf(definition))
}

function dependencyError(dependents: readonly Inconsistency[], path: string): EngineError {
  const names = dependents.map(describeDependent).toSorted()
  return new EngineError(
    'dependency-error',
    `cannot drop due to the following dependent objects: ${names.join(', ')}`,
    { path },
  )
}

/** Describes an object in Hasura's list of dependents. */
function describeDependent(one: Inconsistency): string {
  return one.source === undefined ? one.name : `${dependentName(one)} in source "${one.source}"`
}

function dependentName({ type, name, definition }: Inconsistency): string {
  if (!isRecord(definition)) return name
  const table = catalogKeyOf(definition.table)
  const permission = /^(select|insert|update|delete)_permission$/.exec(type)?.[1]
  if (permission) return `permission ${table}.${definition.role}.${permission}`
  if (/_relation$/.test(type)) return `relationship ${table}.${definition.name}`
  if (type === 'computed_field') return `computed field ${table}.${definition.name}`
  if (type === 'event_trigger') return `event-trigger ${table}.${definition.name}`
  return name.replace(/ in source .*$/, '')
}
