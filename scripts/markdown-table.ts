import { requireValue } from '../lib/runtime/require-value.ts'

/** Writes a Markdown table with aligned columns. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]) {
  const widths = head.map((_title, i) =>
    Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0), 3),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(requireValue(widths[i], 'the width of a column'))).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
