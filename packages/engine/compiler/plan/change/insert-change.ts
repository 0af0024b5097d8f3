import { EngineError } from '../../../errors.ts'
import type { Change, Conflict, Name, Scalar } from '../../ir/ir.ts'
import type { InsertPermission, Preset, Table } from '../../model/model.ts'
import type { Planner } from '../planner.ts'

/** Creates the statement that inserts rows, each of which is a map of cells by column. */
export function insertChange(
  planner: Planner,
  table: Table,
  rowCells: readonly ReadonlyMap<string, Scalar>[],
  conflict: Conflict | null,
): Change {
  const { insert } = planner.schema.access(table)
  if (!insert)
    throw new EngineError('validation-failed', `the role may not insert into "${table.name}"`)
  const rows = rowCells.map((cells) => new Map([...cells, ...presetCells(insert)]))
  const columns = columnsOf(table, rows)
  return {
    kind: 'insert',
    table: tableName(table),
    columns,
    rows: rows.map((cells) => columns.map((name) => cells.get(name) ?? null)),
    conflict,
    check: insert.check,
  }
}

function presetCells({ presets }: InsertPermission): [string, Scalar][] {
  return presets.map(({ column, value }: Preset) => [column.name, value])
}

/**
 * Returns all columns that any row sets. If no row sets a column, returns the table's first column, because SQL
 * requires one.
 */
function columnsOf(table: Table, rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  const names = [...new Set(rows.flatMap((cells) => [...cells.keys()]))]
  const [first] = table.columns.values()
  return names.length > 0 || !first ? names : [first.name]
}

/** Returns only the name of a table or of an object that extends `Name`. */
export function tableName({ schema, name }: Name): Name {
  return { schema, name }
}
