/** The cells of a row by the titles of their columns. */
export type TableRow = Readonly<Record<string, string>>

/**
 * Reads the tables of a Markdown page by the number of their section: `2.13` for the heading `### 2.13 Payment`. Removes
 * backquotes.
 */
export function tablesBySection(page: string): Map<string, TableRow[][]> {
  const sections = page.split(/^#{2,3} (?=\d)/m).slice(1)
  return new Map(sections.map((text) => [/^[\d.]*\d/.exec(text)?.[0] ?? '', tablesIn(text)]))
}

/** Reads the tables of a Markdown text. Removes backquotes. */
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
