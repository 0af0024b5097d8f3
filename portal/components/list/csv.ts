/** A file with a table, which is read in pages. */
export type CsvFile = {
  name: string
  header: readonly string[]
  /** Reads the rows, a page at a time. */
  pages(): AsyncIterable<readonly (readonly string[])[]>
}

/** The rows of each request. */
const CSV_PAGE_ROWS = 1_000

/** The most rows of a file. */
const MAX_CSV_ROWS = 100_000

/** A spreadsheet runs a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** Writes a row as RFC 4180 describes it. A leading apostrophe keeps a spreadsheet from running a cell as a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

function writeCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

type WriteOptions = {
  signal: AbortSignal
  onRows(count: number): void
  maxRows?: number
}

/**
 * Reads all rows of a file.
 *
 * @returns the text in parts, the number of rows, and whether the table has more rows than the file
 */
export async function writeCsv(
  file: CsvFile,
  { signal, onRows, maxRows = MAX_CSV_ROWS }: WriteOptions,
) {
  const parts = [csvLine(file.header)]
  let count = 0
  for await (const rows of file.pages()) {
    signal.throwIfAborted()
    const fittingRows = rows.slice(0, maxRows - count)
    parts.push(fittingRows.map(csvLine).join(''))
    count += fittingRows.length
    onRows(count)
    if (fittingRows.length < rows.length) return { parts, count, isCut: true }
  }
  return { parts, count, isCut: false }
}

/** Reads a list in pages. Each page begins after the last row of the page before. */
export async function* readPages<Row>(
  readPage: (last: Row | null, limit: number) => Promise<readonly Row[]>,
): AsyncIterable<readonly Row[]> {
  let rows = await readPage(null, CSV_PAGE_ROWS)
  while (rows.length > 0) {
    yield rows
    if (rows.length < CSV_PAGE_ROWS) return
    rows = await readPage(rows.at(-1) ?? null, CSV_PAGE_ROWS)
  }
}
