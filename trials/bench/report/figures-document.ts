import { markdownTable } from '../../../scripts/markdown-table.ts'
import { computeRatio, type Figure, type FigureTarget, meetsTarget } from './figure.ts'

/** The outcome of a measurement. */
export type Result = { name: string; minutes: number } & (
  | { figures: Figure[] }
  | { failure: string }
)

/** The description and circumstances of a measurement. */
type Run = { about: string; large: boolean; machine: readonly string[]; at: Date }

const HEAD = `# Every figure

<!-- \`npm run bench -- NAME --write\` writes a part, and \`npm run bench -- all\` all parts. Edits by hand inside a part are lost. -->

Look up here each measured figure. Its baseline is from the same run. _Target_ is the target for the ratio, or for the figure if there
is no baseline. \`npm run bench -- NAME\` repeats a part. [benchmarks.md](benchmarks.md) explains the figures.`

/**
 * Replaces these parts of docs/figures.md, and keeps the other parts.
 *
 * @param order the names of all parts
 */
export function replaceParts(
  page: string,
  parts: ReadonlyMap<string, string>,
  order: readonly string[],
): string {
  const texts = order.flatMap((name) => parts.get(name) ?? findPart(page, name) ?? [])
  return `${[HEAD, ...texts].join('\n\n')}\n`
}

/** Creates a part of docs/figures.md: the description, the time, the table and the notes. */
export function createPart(result: Result, { about, large, machine, at }: Run): string {
  const command = `npm run bench -- ${result.name}${large ? ' --large' : ''}`
  const day = at.toISOString().slice(0, 10)
  const minutes = Math.ceil(result.minutes)
  const paragraphs = [
    createPartComment(result.name),
    `## ${result.name}`,
    `Measures ${about}.`,
    `\`${command}\`, on ${day} in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, on ${machine.join(', ')}.`,
    createFiguresTable(result),
    createNotes(result).join('\n'),
    END,
  ]
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}

function findPart(page: string, name: string): string | null {
  const start = page.indexOf(createPartComment(name))
  const end = page.indexOf(END, start)
  return start < 0 || end < 0 ? null : page.slice(start, end + END.length)
}

function createPartComment(name: string): string {
  return `<!-- part: ${name} -->`
}

const END = '<!-- end -->'

/** Creates a Markdown table of the figures. */
export function createFiguresTable(result: Result): string {
  if ('failure' in result) return `**It did not finish: ${escapeCell(result.failure)}.**`
  const titles = ['measured', 'figure', 'baseline', 'ratio', 'target', 'met']
  return markdownTable(titles, result.figures.map(createRow))
}

function createRow(figure: Figure): string[] {
  const { name, value, unit, baseline, target } = figure
  const ratio = computeRatio(figure)
  const met = meetsTarget(figure)
  return [
    escapeCell(name),
    formatValue(value, unit),
    baseline === undefined ? '' : formatValue(baseline, unit),
    ratio === null ? '' : ratio.toFixed(2),
    target ? formatTarget(target, ratio === null ? unit : '') : '',
    met === null ? '' : formatMet(met),
  ]
}

function formatMet(met: boolean): string {
  return met ? 'yes' : '**no**'
}

function formatTarget(target: FigureTarget, unit: string): string {
  return 'atLeast' in target
    ? `at least ${formatValue(target.atLeast, unit)}`
    : `at most ${formatValue(target.atMost, unit)}`
}

function formatValue(n: number, unit: string): string {
  const text = n.toLocaleString('en', { maximumSignificantDigits: 4 })
  return unit.startsWith('/') ? `${text}${unit}` : `${text} ${unit}`.trim()
}

/** Creates a Markdown list of the notes. */
export function createNotes(result: Result): string[] {
  const figures = 'figures' in result ? result.figures : []
  return figures.flatMap(({ name, note }) =>
    note ? [`- ${escapeCell(name)}: ${escapeCell(note)}`] : [],
  )
}

/** Escapes the characters that would end a table cell. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
