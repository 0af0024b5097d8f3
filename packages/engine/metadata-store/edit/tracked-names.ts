import { EngineError } from '../../errors.ts'
import { isList, isRecord } from '../../json/record.ts'
import { QualifiedName } from '../../metadata/primitives.ts'
import { shortKey } from '../../postgres/catalog.ts'
import { hasEntry } from './entries.ts'
import { keyedByQualifiedName } from './keys.ts'
import type { DocumentEdit, MetadataDocument } from './metadata-document.ts'
import { parseArgs } from './parse-args.ts'
import { Args, trackedFunctions, trackedTables } from './places.ts'

/** Returns an edit that does the same as `edit`, and also accepts the bare name of a table or function as its arguments. */
export function acceptBareName(kind: 'table' | 'function', edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const isComplete = isRecord(args) && kind in args
    edit(document, isComplete ? args : { [kind]: args })
  }
}

/** Rejects a new table that has the name of a tracked function. @throws not-supported */
export const refuseFunctionName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('table')(parseArgs(Args, args))
  if (hasEntry(trackedFunctions(document, args), key)) throw nameConflict('function', key)
}

/** Rejects a new function that has the name of a tracked table. @throws not-supported */
export const refuseTableName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('function')(parseArgs(Args, args))
  if (hasEntry(trackedTables(document, args), key)) throw nameConflict('table', key)
}

function nameConflict(kind: string, key: string): EngineError {
  const message = `${kind} with name "${shortKey(key)}" already exists`
  return new EngineError('not-supported', message, { path: '$.args' })
}

/**
 * Writes the names of tables and functions as `{name, schema}`: of tracked objects, and in relationships of tables and actions,
 * computed fields and remote relationships. Hasura's exports have this form, and its command line reads no other.
 */
export function withQualifiedNames(document: MetadataDocument): MetadataDocument {
  return Object.fromEntries(members(document))
}

/** The keys that have names of tables or functions as values. */
const NAMES: ReadonlySet<string> = new Set(['table', 'function', 'remote_table'])

/** The keys with values that may contain keys of `NAMES`. Excludes permissions: in them, `table` may be the name of a column. */
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
