import { EngineError } from '../../errors.ts'
import { isList, isRecord } from '../../json/record.ts'
import { QualifiedName } from '../../metadata/primitives.ts'
import { shortKey } from '../../postgres/catalog.ts'
import { hasEntry } from './entries.ts'
import { keyedByQualifiedName } from './keys.ts'
import type { DocumentEdit, MetadataDocument } from './metadata-document.ts'
import { parseArgs } from './parse-args.ts'
import { Args, trackedFunctions, trackedTables } from './places.ts'

/** Makes an edit also accept a table's or function's name in the place of its arguments. */
export function acceptBareName(kind: 'table' | 'function', edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const isComplete = isRecord(args) && kind in args
    edit(document, isComplete ? args : { [kind]: args })
  }
}

/** Refuses to track a table that has the name of a tracked function. @throws not-supported */
export const refuseFunctionName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('table')(parseArgs(Args, args))
  if (hasEntry(trackedFunctions(document, args), key)) throw takenError('function', key)
}

/** Refuses to track a function that has the name of a tracked table. @throws not-supported */
export const refuseTableName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('function')(parseArgs(Args, args))
  if (hasEntry(trackedTables(document, args), key)) throw takenError('table', key)
}

function takenError(kind: string, key: string): EngineError {
  const message = `${kind} with name "${shortKey(key)}" already exists`
  return new EngineError('not-supported', message, { path: '$.args' })
}

/**
 * The document with `{name, schema}` for each table and function that is tracked or referred to by a relationship, a computed
 * field or a remote relationship. Hasura writes them so, and its command line reads no other form of an export.
 */
export function withQualifiedNames(document: MetadataDocument): MetadataDocument {
  return Object.fromEntries(members(document))
}

/** The keys whose values are names of tables and functions. */
const NAMES: ReadonlySet<string> = new Set(['table', 'function', 'remote_table'])

/** The keys below which such keys stand. Permissions are not among them: there, `table` may be a column. */
const PARTS: ReadonlySet<string> = new Set([
  'sources',
  'tables',
  'functions',
  'object_relationships',
  'array_relationships',
  'using',
  'foreign_key_constraint_on',
  'manual_configuration',
  'computed_fields',
  'remote_relationships',
  'remote_schemas',
  'custom_types',
  'objects',
  'relationships',
  'definition',
  'to_source',
])

function members(object: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(object).map(([key, value]) => {
    if (NAMES.has(key)) return [key, QualifiedName.safeParse(value).data ?? value]
    return [key, PARTS.has(key) ? qualify(value) : value]
  })
}

function qualify(value: unknown): unknown {
  if (isList(value)) return value.map(qualify)
  return isRecord(value) ? Object.fromEntries(members(value)) : value
}
