import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { PrintedPart } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'

/** A root field that the database answers. */
export type RowsPart = Extract<PrintedPart, { kind: 'column' | 'list' }>

/** Returns the part's result as the database wrote it. */
export function rowsText(part: RowsPart, rows: readonly Columns[]): string {
  if (part.kind === 'column') return columnText(rows, part.statement, part.column)
  const texts = part.items.map((item) =>
    typeof item === 'string' ? item : columnText(rows, item, 0),
  )
  return `[${texts.join(',')}]`
}

/**
 * Returns a column as JSON text. A field without a value, such as `<table>_by_pk` without a row, is null in SQL and becomes JSON's `null`.
 */
function columnText(rows: readonly Columns[], statement: number, column: number): string {
  return requireValue(rows[statement], 'the row of a statement')[column] ?? 'null'
}
