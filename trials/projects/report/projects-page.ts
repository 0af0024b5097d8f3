import { markdownTable } from '../../../scripts/markdown-table.ts'
import { type Answers, causeOf, type Outcome, resultOf, totalOf } from './outcome.ts'

/** A row of the table: project, size, result, cause. */
type Row = [name: string, size: string, result: string, cause: string]

const BEGIN =
  '<!-- `npm run test:projects -- --write FOLDER…` writes the rows of the projects that it runs. -->'
const END = '<!-- end -->'

/** packages/engine/docs/public-projects.md with the rows of these projects anew; the others stay. */
export function withResults(page: string, outcomes: readonly Outcome[], at: Date): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the page has no place for the results')
  const rows = new Map(rowsIn(page.slice(begin, end)).map((row) => [row[0], row]))
  for (const outcome of outcomes) rows.set(outcome.name, rowOf(outcome))
  const sorted = [...rows.values()].sort(([a], [b]) => a.localeCompare(b, 'en'))
  const table = markdownTable(['project', 'size', 'result', 'cause'], sorted)
  const part = [BEGIN, summary(sorted, at), table].join('\n\n')
  return `${page.slice(0, begin)}${part}\n\n${page.slice(end)}`
}

/** A line for the terminal. */
export function lineOf(outcome: Outcome): string {
  const [name, size, result, cause] = rowOf(outcome)
  return [name, size, result, cause].filter(Boolean).join(' | ')
}

function rowOf(outcome: Outcome): Row {
  const figures = 'failure' in outcome ? [] : figuresOf(outcome)
  const result = [resultOf(outcome), ...figures].join('; ')
  return [outcome.name, outcome.size, result, shortened(causeOf(outcome))]
}

function figuresOf({ roles, found, failedSeed }: Answers): string[] {
  const valid = new Set(roles.flatMap((role) => role.valid)).size
  const subscriptions = roles.map((role) => role.subscriptions)
  return [
    `root fields ${totalOf(roles.map((role) => role.rootFields))}`,
    ...(found > 0
      ? [`documents ${valid}/${found}`, `runs ${totalOf(roles.map((role) => role.documents))}`]
      : []),
    ...(subscriptions.some(({ asked }) => asked > 0)
      ? [`subscriptions ${totalOf(subscriptions)}`]
      : []),
    ...(failedSeed === null ? [] : ['without its seeds']),
  ]
}

/** How many are served whole of those that any engine can build. */
function summary(rows: readonly Row[], at: Date): string {
  const buildable = rows.filter(([, , result]) => !/^(cannot be built|empty)/.test(result))
  const whole = buildable.filter(([, , result]) => result.startsWith('whole'))
  const share = Math.floor((100 * whole.length) / Math.max(buildable.length, 1))
  return `Of ${rows.length} projects ${buildable.length} can be built from their own folders, and ${whole.length} of these (${share} %) are served whole. Last run on ${at.toISOString().slice(0, 10)}.`
}

function rowsIn(part: string): Row[] {
  return part
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| project '))
    .filter((line) => !/^\|[ |-]+$/.test(line))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
    .map(([name = '', size = '', result = '', cause = '']) => [name, size, result, cause])
}

const MAX_CAUSE = 140

/** The first line, without what a Markdown table reads as its own. */
function shortened(cause: string): string {
  const line = (cause.split('\n').find((one) => one.trim() !== '') ?? '')
    .trim()
    .replaceAll('|', '¦')
  return line.length > MAX_CAUSE ? `${line.slice(0, MAX_CAUSE)}…` : line
}
