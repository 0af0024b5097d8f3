import { catalogKey } from '../../../postgres/catalog.ts'
import type { Change, Name, Output } from '../../ir/ir.ts'
import type { SourceModel } from '../../model/model.ts'

/**
 * Whether an answer may depend on effects of the change other than the rows that it returns. Then it needs a
 * second statement, because the one that changes rows sees all tables as they were before.
 */
export function dependsOnChange({ tables }: SourceModel, change: Change, output: Output): boolean {
  const sources = answerSources(output)
  if (sources.length === 0) return false
  // A function may need the row that is deleted. So if no related rows are selected, functions run in the statement
  // that deletes, as in Hasura.
  if (change.kind === 'delete') return sources.some((source) => source !== null)
  const changed = tables.get(catalogKey(change.table))
  if (change.kind !== 'insert' || change.conflict || !changed?.insertsOwnRowsOnly) return true
  return sources.some((source) => {
    const table = source && tables.get(catalogKey(source))
    return !table?.readsOwnRowsOnly || table === changed
  })
}

/** The tables that an answer reads; null stands for a function, which may read any table. */
function answerSources(part: unknown): (Name | null)[] {
  if (Array.isArray(part)) return part.flatMap(answerSources)
  if (!isTreePart(part)) return []
  if (part.kind === 'table' && part.table) return [part.table]
  const here = CALLS.has(part.kind) ? [null] : []
  return [...here, ...Object.values(part).flatMap(answerSources)]
}

const CALLS: ReadonlySet<unknown> = new Set(['call', 'function', 'native', 'kept'])

function isTreePart(part: unknown): part is { kind?: unknown; table?: Name } {
  return typeof part === 'object' && part !== null
}
