import type { Change, Name, Output } from '../../ir/ir.ts'
import type { Model } from '../../model/model.ts'
import { keyOf } from '../../postgres/catalog.ts'

/**
 * Whether an answer may depend on effects of the change other than the rows that it returns. Then it needs a
 * second statement, because the one that changes rows sees all tables as they were before.
 */
export function seesChange(model: Model, change: Change, output: Output): boolean {
  const sources = sourcesOf(output)
  if (sources.length === 0) return false
  // Functions of a deleted row may need it to be there. So if no related rows are selected, they run in the
  // statement that deletes, as in Hasura.
  if (change.kind === 'delete') return sources.some((source) => source !== null)
  const changed = model.tables.get(keyOf(change.table))
  if (change.kind !== 'insert' || change.conflict || !changed?.insertsAlone) return true
  return sources.some((source) => {
    const table = source && model.tables.get(keyOf(source))
    return !table?.readsAlone || table === changed
  })
}

/** The tables that an answer looks at; null for functions, which may look at any. */
function sourcesOf(part: unknown): (Name | null)[] {
  if (Array.isArray(part)) return part.flatMap(sourcesOf)
  if (!isPart(part)) return []
  if (part.kind === 'table' && part.table) return [part.table]
  const here = CALLS.has(part.kind) ? [null] : []
  return [...here, ...Object.values(part).flatMap(sourcesOf)]
}

const CALLS: ReadonlySet<unknown> = new Set(['call', 'function', 'native', 'kept'])

function isPart(part: unknown): part is { kind?: unknown; table?: Name } {
  return typeof part === 'object' && part !== null
}
