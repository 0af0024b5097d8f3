import { present } from '../../../../lib/runtime/present.ts'
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

/** `source` is the name of the one whose database has changed. */
type Change = {
  source: string
  document: MetadataDocument
  before: Catalog
  after: Catalog
  cascade: boolean
}

/**
 * The metadata for a changed schema of a database: renamed objects have their new names, and dropped ones are removed;
 * with `cascade`, also what depends on those. An object that was dropped and created again is a new one.
 *
 * @throws dependency-error naming the dependents, unexpected for what else would be inconsistent, and whatever
 *   `refuseSchemaChange` throws
 */
export function followSchemaChange(
  engine: Engine,
  { source, document, before, after, cascade }: Change,
): MetadataDocument {
  const { catalogs } = engine.schemaCache()
  const model = (of: MetadataDocument, catalog: Catalog) =>
    modelOf(engine, of, new Map([...catalogs, [source, catalog]]))
  const old = model(document, before)
  const ofSource = present(old.sources.get(source), 'the source that was changed')
  refuseSchemaChange({ document, before, after, source: ofSource })
  const named = renameInDocument(document, renamesBetween(before, after), ofSource)
  const renamed = withoutDroppedColumns(named, { source, before, after })
  const known = withoutReplacements(before, after)
  const dropped = model(renamed, known).inconsistencies.filter(
    (object) => object.source === source && isDropped(object, known),
  )
  const left = withoutInconsistent(renamed, newInconsistencies(dropped, old))
  const next = withoutDependents(left, old, { cascade, path: '$', model: (of) => model(of, known) })
  refuseNewInconsistencies([null], '$')(model(next, after).inconsistencies, old.inconsistencies)
  return next
}

function modelOf(
  { config: settings, introspectedSchemas }: Engine,
  document: MetadataDocument,
  catalogs: Catalogs,
): Model {
  const metadata = Metadata.parse(document)
  return buildCheckedModel({ catalogs, metadata, introspected: introspectedSchemas(), settings })
}

/** The catalogue after the change, without the new objects that have the name of an object that was dropped. */
function withoutReplacements(before: Catalog, after: Catalog): Catalog {
  const tables = [...after.tables].flatMap(([key, table]) => {
    const same = [...before.tables.values()].find(({ oid }) => oid === table.oid)
    if (!same) return before.tables.has(key) ? [] : [[key, table] as const]
    const columns = table.columns.filter(
      ({ number, name }) =>
        same.columns.some((old) => old.number === number) ||
        !same.columns.some((old) => old.name === name),
    )
    return [[key, { ...table, columns }] as const]
  })
  const functions = [...after.functions].flatMap(([key, all]) => {
    const old = before.functions.get(key)
    const left = old ? all.filter(({ oid }) => old.some((one) => one.oid === oid)) : all
    return left.length === 0 ? [] : [[key, left] as const]
  })
  return { ...after, tables: new Map(tables), functions: new Map(functions) }
}

/**
 * The metadata after an object was removed from it; with `cascade`, also without what depended on that.
 *
 * @throws dependency-error naming the dependents, without `cascade`
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

/** `path` is for the error. */
type Dependents = { cascade: boolean; path: string; model(document: MetadataDocument): Model }

/** Drops dependents, then the dependents of those, until nothing new is inconsistent. */
function withoutDependents(
  document: MetadataDocument,
  old: Model,
  { cascade, path, model }: Dependents,
): MetadataDocument {
  const dependents = newInconsistencies(model(document).inconsistencies, old).filter(isDependent)
  if (dependents.length === 0) return document
  if (!cascade) throw dependencyError(dependents, path)
  const smaller = withoutInconsistent(document, dependents)
  if (JSON.stringify(smaller) === JSON.stringify(document)) throw dependencyError(dependents, path)
  return withoutDependents(smaller, old, { cascade, path, model })
}

/**
 * Whether an object can be named and dropped as a dependent. If any other becomes inconsistent, the change fails: a table
 * depends on nothing but its own columns and rows, which an enum table can have too many or too few of.
 */
function isDependent({ type }: Inconsistency): boolean {
  return DEPENDENT_TYPES.test(type)
}

const DEPENDENT_TYPES =
  /^(function|native_query|logical_model|computed_field|event_trigger)$|_(relation|permission|relationship)$/

function newInconsistencies(found: readonly Inconsistency[], { inconsistencies }: Model) {
  const known = new Set(inconsistencies.map(inconsistencyKey))
  return found.filter((object) => !known.has(inconsistencyKey(object)))
}

/** Whether it is the dropped object itself, and not one that depended on it. */
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

/** An object in Hasura's list of dependents. */
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
