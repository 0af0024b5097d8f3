import { catalogKey } from '../../../postgres/catalog.ts'
import type { Change, Name, Output } from '../../ir/ir.ts'
import type { SourceModel } from '../../model/model.ts'

/**
 * Reports whether a result may depend on effects of the change besides the returned rows. If so, it needs a second
 * statement, because the statement that changes rows sees all tables as they were before the change.
 */
export function dependsOnChange({ tables }: SourceModel, change: Change, output: Output): boolean {
  const sources = resultSources(output)
  if (sources.length === 0) return false
  // A function may need the row that is deleted. Functions therefore run in the statement that deletes, as in Hasura,
  // unless related rows are selected.
  if (change.kind === 'delete') return sources.some((source) => source !== null)
  const changedTable = tables.get(catalogKey(change.table))
  if (change.kind !== 'insert' || change.conflict || !changedTable?.insertsOwnRowsOnly) return true
  return sources.some((source) => {
    const table = source && tables.get(catalogKey(source))
    return !table?.readsOwnRowsOnly || table === changedTable
  })
}

/** Returns the tables that a result reads. Null stands for a source that may read any table, for example a function. */
function resultSources(part: unknown): (Name | null)[] {
  if (Array.isArray(part)) return part.flatMap(resultSources)
  if (!isTreePart(part)) return []
  if (part.kind === 'table' && part.table) return [part.table]
  const functions = CALLS.has(part.kind) ? [null] : []
  return [...functions, ...Object.values(part).flatMap(resultSources)]
}

const CALLS: ReadonlySet<unknown> = new Set([
  'call',
  'function',
  'nativeQuery',
  'savedColumn',
  'savedRows',
])

function isTreePart(part: unknown): part is { kind?: unknown; table?: Name } {
  return typeof part === 'object' && part !== null
}
