import type { CheckedFile } from './file/file-check.ts'
import type { MergedUses } from './file/merge-repeated.ts'

/** Formats the totals of a checked file. */
export function formatFileTotals(file: CheckedFile, merged: MergedUses): string[] {
  const rows = [...file.actions].map(([name, { people, uses }]) => [
    nameOfAction(name),
    ...[people, uses].map(formatNumber),
  ])
  return [...formatTable([['action', 'people', 'uses'], ...rows]), ...formatNotes(file, merged)]
}

/** Formats rows with columns of equal width: the first to the left, the others to the right. */
export function formatTable(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  '),
  )
}

/** Returns the sentences about people whose lines are not imported one by one. */
export function formatNotes({ actions }: CheckedFile, merged: MergedUses): string[] {
  const neverVerified = [...actions.values()].reduce((sum, action) => sum + action.neverVerified, 0)
  return [
    ...(neverVerified > 0 ? [`${countPeople(neverVerified)} with 0 uses left out.`] : []),
    ...(merged.size > 0
      ? [`${countPeople(merged.size)} with several lines; their uses were added up to the limit.`]
      : []),
  ]
}

export function nameOfAction(action: string): string {
  return action === '' ? '(sign-in)' : action
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en')
}

function countPeople(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'person' : 'people'}`
}
