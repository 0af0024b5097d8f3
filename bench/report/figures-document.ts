import { markdownTable } from '../../scripts/markdown-table.ts'
import { type Figure, isMet, ratioOf, type Wanted } from './figure.ts'

/** The outcome of a measurement. */
export type Result = { name: string; minutes: number } & (
  | { figures: Figure[] }
  | { failure: string }
)

type Run = { results: readonly Result[]; machine: readonly string[]; at: Date; large: boolean }

/** docs/figures.md: one table with every figure, and notes on them. */
export function figuresDocument({ results, machine, at, large }: Run): string {
  const command = `npm run bench -- all${large ? ' --large' : ''}`
  const minutes = results.reduce((sum, result) => sum + result.minutes, 0)
  const judged = results.flatMap(figuresIn).map(isMet)
  const count = (met: boolean | null) => judged.filter((one) => one === met).length
  const failed = results.filter((result) => 'failure' in result).length
  return `# Every figure

<!-- Made by \`${command}\`; what is written here by hand is lost. -->

Measured on ${at.toISOString().slice(0, 10)} by \`${command}\` in ${Math.ceil(minutes)} minutes, on ${machine.join(', ')}. Each baseline is
measured in the same run; _wanted_ is the target for the ratio, or for the figure where there is no baseline. Of ${judged.length} figures,
${count(true)} meet their target, ${count(false)} do not, ${count(null)} have none${failed ? `; ${failed} measurements did not finish` : ''}.
\`npm run bench -- NAME\` repeats one part. What is behind the figures: [benchmarks.md](benchmarks.md).

${figuresTable(results)}

## Notes

${results.flatMap(figureNotes).join('\n')}
`
}

/** The figures as a Markdown table. */
export function figuresTable(results: readonly Result[]): string {
  const head = ['part', 'what', 'figure', 'baseline', 'ratio', 'wanted', 'met']
  const lines = results.flatMap((result) =>
    'figures' in result
      ? result.figures.map((figure) => figureLine(result.name, figure))
      : [
          [
            result.name,
            `**did not finish: ${tableCellText(result.failure)}**`,
            '',
            '',
            '',
            '',
            'no',
          ],
        ],
  )
  return markdownTable(head, lines)
}

function figureLine(part: string, figure: Figure): string[] {
  const { name, value, unit, baseline, wanted } = figure
  const ratio = ratioOf(figure)
  const met = isMet(figure)
  return [
    part,
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
  return figuresIn(result).flatMap(({ name, note }) =>
    note ? [`- \`${result.name}\`, ${tableCellText(name)}: ${tableCellText(note)}`] : [],
  )
}

function figuresIn(result: Result): Figure[] {
  return 'figures' in result ? result.figures : []
}

/** Without characters that would end a table cell. */
function tableCellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
