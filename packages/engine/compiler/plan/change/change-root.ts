import { catalogKey } from '../../../postgres/catalog.ts'
import type { Change, Output, Parameter, Root, Scalar } from '../../ir/ir.ts'
import type { SourceModel } from '../../model/model.ts'
import type { Planner } from '../planner.ts'
import { dependsOnChange } from './depends-on-change.ts'

/** The plan of a root field that changes rows of a source. `constant` is a result that needs no statement. */
export type PlannedChange =
  | { kind: 'database'; source: string; root: Root }
  | { kind: 'databaseList'; source: string; roots: readonly Root[] }
  | { kind: 'constant'; text: string }

/**
 * Records the session variables in parts of a change or of its permission. The parts must be in the order in which
 * Hasura reads them.
 */
export function noteSessionVariables({ notes }: Planner, ...parts: readonly unknown[]): void {
  notes.addSessionVariables(parametersIn(parts).filter(({ ofSession }) => ofSession))
}

function parametersIn(part: unknown): readonly Parameter[] {
  if (Array.isArray(part)) return part.flatMap(parametersIn)
  if (!isPart(part) || part.kind === 'table') return []
  return part.parameter ? [part.parameter] : Object.values(part).flatMap(parametersIn)
}

function isPart(part: unknown): part is { kind?: unknown; parameter?: Parameter } {
  return typeof part === 'object' && part !== null
}

/** Returns the JSON text of the result if no row changes. */
export function emptyResult(output: Output): string {
  if (output.kind === 'row') return 'null'
  const members = output.parts.map((part) => {
    const value = {
      affected: 0,
      returning: [],
      typename: part.kind === 'typename' ? part.name : null,
    }
    return `${JSON.stringify(part.as)}:${JSON.stringify(value[part.kind])}`
  })
  return `{${members.join(',')}}`
}

/**
 * Plans a change and its result. One statement is enough if the result cannot depend on other effects of the change;
 * otherwise a second statement reads the result.
 */
export function changeRoot(source: SourceModel, change: Change, output: Output): Root {
  if (!dependsOnChange(source, change, output))
    return { kind: 'change', change, output, setsSession: canSetSession(source, change) }
  const step = { change, savedAs: SAVED_ROWS, path: null, required: null }
  return {
    kind: 'steps',
    steps: [step],
    output,
    from: { kind: 'savedRows', names: [SAVED_ROWS], table: change.table },
  }
}

/**
 * Reports whether the statement of a change can also set the session variables, in its `from`. The change must be an
 * insert of one row, and nothing may read the session variables before the `from`. So an insert must touch only the
 * table's own rows (see `insertsOwnRowsOnly`). Every value must be a parameter with a type of `pg_catalog`. PostgreSQL
 * makes the checks of other types, such as domains, before it reads the `from`.
 */
function canSetSession({ tables }: SourceModel, change: Change): boolean {
  if (change.kind !== 'insert' || change.rows.length !== 1) return false
  const [cells = []] = change.rows
  const table = tables.get(catalogKey(change.table))
  return table?.insertsOwnRowsOnly === true && cells.every(hasBuiltInType)
}

function hasBuiltInType(cell: Scalar | null): boolean {
  return cell?.kind === 'parameter' && cell.parameter.type.schema === 'pg_catalog'
}

const SAVED_ROWS = 'engine.rows'
