import { markdownTable } from '../../../scripts/markdown-table.ts'
import { causeOf, formatTotal, type Outcome, resultOf, type ServedProject } from './outcome.ts'

/** A row of the table: project, size, result, cause. */
type Row = [name: string, size: string, result: string, cause: string]

const BEGIN =
  '<!-- `npm run test:projects -- --write FOLDER…` writes the rows of the projects that it runs. -->'
const END = '<!-- end -->'

/** Replaces the rows of these projects in the page (packages/engine/docs/public-projects.md), and keeps the other rows. */
export function replaceRows(page: string, outcomes: readonly Outcome[], at: Date): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin)
    throw new Error(`The page must have the lines ${BEGIN} and ${END} around the results.`)
  const rows = new Map(rowsIn(page.slice(begin, end)).map((row) => [row[0], row]))
  for (const outcome of outcomes) rows.set(outcome.name, rowOf(outcome))
  const sorted = [...rows.values()].sort(([a], [b]) => a.localeCompare(b, 'en'))
  const table = markdownTable(['project', 'size', 'result', 'cause'], sorted)
  const part = [BEGIN, summarizeRows(sorted, at), table].join('\n\n')
  return `${page.slice(0, begin)}${part}\n\n${page.slice(end)}`
}

/** Formats an outcome as a line for the terminal. */
export function formatLine(outcome: Outcome): string {
  const [name, size, result, cause] = rowOf(outcome)
  return [name, size, result, cause].filter(Boolean).join(' | ')
}

function rowOf(outcome: Outcome): Row {
  const figures = 'failure' in outcome ? [] : figuresOf(outcome)
  const result = [resultOf(outcome), ...figures].join('; ')
  return [outcome.name, outcome.size, result, shortenCause(causeOf(outcome))]
}

function figuresOf({ roles, documentCount, failedSeed }: ServedProject): string[] {
  const validCount = new Set(roles.flatMap((role) => role.validDocuments)).size
  const subscriptions = roles.map((role) => role.subscriptions)
  return [
    `root fields ${formatTotal(roles.map((role) => role.rootFields))}`,
    ...(documentCount > 0
      ? [
          `documents ${validCount}/${documentCount}`,
          `runs ${formatTotal(roles.map((role) => role.documents))}`,
        ]
      : []),
    ...(subscriptions.some(({ requests }) => requests > 0)
      ? [`subscriptions ${formatTotal(subscriptions)}`]
      : []),
    ...(failedSeed === null ? [] : ['without its seeds']),
  ]
}

/** Counts the projects that are served whole, of the projects that can be built. */
function summarizeRows(rows: readonly Row[], at: Date): string {
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

/** Cuts a cause to its first line, without the `|` of Markdown tables. */
function shortenCause(cause: string): string {
  const line = (cause.split('\n').find((text) => text.trim() !== '') ?? '')
    .trim()
    .replaceAll('|', '¦')
  return line.length > MAX_CAUSE ? `${line.slice(0, MAX_CAUSE)}…` : line
}
