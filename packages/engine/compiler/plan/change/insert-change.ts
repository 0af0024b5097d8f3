import { EngineError } from '../../../errors.ts'
import type { Change, Conflict, Name, Scalar } from '../../ir/ir.ts'
import type { InsertPermission, Preset, Table } from '../../model/model.ts'
import type { Planner } from '../planner.ts'

/** The statement that inserts rows; each is given as cells by column name. */
export function insertChange(
  planner: Planner,
  table: Table,
  given: readonly ReadonlyMap<string, Scalar>[],
  conflict: Conflict | null,
): Change {
  const { insert } = planner.schema.access(table)
  if (!insert)
    throw new EngineError('validation-failed', `the role may not insert into "${table.name}"`)
  const rows = given.map((cells) => new Map([...cells, ...presetCells(insert)]))
  const columns = givenColumns(table, rows)
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

/** All columns that any row gives. SQL requires at least one, so without any it is the table's first. */
function givenColumns(table: Table, rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  const names = [...new Set(rows.flatMap((cells) => [...cells.keys()]))]
  const [first] = table.columns.values()
  return names.length > 0 || !first ? names : [first.name]
}

/** The name alone, of a table or of what extends it. */
export function tableName({ schema, name }: Name): Name {
  return { schema, name }
}
