import { markdownTable } from '../../../scripts/markdown-table.ts'
import { type Figure, isMet, ratioOf, type Wanted } from './figure.ts'

/** The outcome of a measurement. */
export type Result = { name: string; minutes: number } & (
  | { figures: Figure[] }
  | { failure: string }
)

/** What else the page says of a measurement. */
type Run = { about: string; large: boolean; machine: readonly string[]; at: Date }

const HEAD = `# Every figure

<!-- \`npm run bench -- NAME --write\` writes a part, and \`npm run bench -- all\` all parts. Edits by hand inside a part are lost. -->

Look up here each measured figure. Its baseline is from the same run. _Target_ is the target for the ratio, or for the figure if there
is no baseline. \`npm run bench -- NAME\` repeats a part. [benchmarks.md](benchmarks.md) explains the figures.`

/**
 * docs/figures.md with these parts, each in the place of its earlier one; the other parts stay as they are.
 *
 * @param order the names of all parts
 */
export function withParts(
  page: string,
  parts: ReadonlyMap<string, string>,
  order: readonly string[],
): string {
  const texts = order.flatMap((name) => parts.get(name) ?? earlierPart(page, name) ?? [])
  return `${[HEAD, ...texts].join('\n\n')}\n`
}

/** A part of docs/figures.md: what was measured when, its table, and notes. */
export function figuresPart(result: Result, { about, large, machine, at }: Run): string {
  const command = `npm run bench -- ${result.name}${large ? ' --large' : ''}`
  const day = at.toISOString().slice(0, 10)
  const minutes = Math.ceil(result.minutes)
  const paragraphs = [
    beginOf(result.name),
    `## ${result.name}`,
    `Measures ${about}.`,
    `\`${command}\`, on ${day} in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, on ${machine.join(', ')}.`,
    figuresTable(result),
    figureNotes(result).join('\n'),
    END,
  ]
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}

function earlierPart(page: string, name: string): string | null {
  const start = page.indexOf(beginOf(name))
  const end = page.indexOf(END, start)
  return start < 0 || end < 0 ? null : page.slice(start, end + END.length)
}

function beginOf(name: string): string {
  return `<!-- part: ${name} -->`
}

const END = '<!-- end -->'

/** The figures as a Markdown table. */
export function figuresTable(result: Result): string {
  if ('failure' in result) return `**It did not finish: ${tableCellText(result.failure)}.**`
  const titles = ['measured', 'figure', 'baseline', 'ratio', 'target', 'met']
  return markdownTable(titles, result.figures.map(figureLine))
}

function figureLine(figure: Figure): string[] {
  const { name, value, unit, baseline, wanted } = figure
  const ratio = ratioOf(figure)
  const met = isMet(figure)
  return [
    tableCellText(name),
    withUnit(value, unit),
    baseline === undefined ? '' : withUnit(baseline, unit),
    ratio === null ? '' : ratio.toFixed(2),
    wanted ? targetText(wanted, ratio === null ? unit : '') : '',
    met === null ? '' : yesOrNo(met),
  ]
}

function yesOrNo(met: boolean): string {
  return met ? 'yes' : '**no**'
}

function targetText(wanted: Wanted, unit: string): string {
  return 'atLeast' in wanted
    ? `at least ${withUnit(wanted.atLeast, unit)}`
    : `at most ${withUnit(wanted.atMost, unit)}`
}

function withUnit(n: number, unit: string): string {
  const text = n.toLocaleString('en', { maximumSignificantDigits: 4 })
  return unit.startsWith('/') ? `${text}${unit}` : `${text} ${unit}`.trim()
}

/** The notes on the figures, as a Markdown list. */
export function figureNotes(result: Result): string[] {
  const figures = 'figures' in result ? result.figures : []
  return figures.flatMap(({ name, note }) =>
    note ? [`- ${tableCellText(name)}: ${tableCellText(note)}`] : [],
  )
}

/** Without characters that would end a table cell. */
function tableCellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
