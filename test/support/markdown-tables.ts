/** A row of a table, by the titles of its columns. */
export type TableRow = Readonly<Record<string, string>>

/**
 * The tables of each section of a Markdown page, by the section's number (`2.13`); code marks are taken away.
 *
 * Headings look like `### 2.13 Payment`.
 */
export function tablesBySection(page: string): Map<string, TableRow[][]> {
  const sections = page.split(/^#{2,3} (?=\d)/m).slice(1)
  return new Map(sections.map((text) => [/^[\d.]*\d/.exec(text)?.[0] ?? '', tablesIn(text)]))
}

/** The tables of a text in Markdown; code marks are taken away. */
export function tablesIn(text: string): TableRow[][] {
  const blocks = text.match(/(?:^\|.*\n?)+/gm) ?? []
  return blocks.map((block) => {
    const [titles = [], , ...rows] = block.trim().split('\n').map(cellsOf)
    return rows.map((row) => Object.fromEntries(row.map((cell, i) => [titles[i] ?? '', cell])))
  })
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))
}
