import { tallyAnswers } from '../crowd.ts'

/** What callers noticed of a fault that was caused once. */
export type Disturbance = {
  people: number
  /** Everything that was answered to people who verified or signed in, and to the team that made actions. */
  answers: readonly string[]
  /** The longest time in which nobody was verified. */
  pauseMs: number
  /** The longest time in which no sign-in could begin. */
  signInPauseMs: number
  /** The longest time in which no event was delivered. */
  eventPauseMs: number
  /** The actions that a team made, as it was told; each is an event. */
  actions: readonly string[]
  lost: number
  countedTwice: number
}

/** A fault, which was caused as often as there are disturbances; it may have failed before it was over. */
export type PlayedFault = {
  name: string
  goalMs: number | null
  disturbances: readonly Disturbance[]
  /** How many events of all these actions were never delivered. */
  undelivered: number
  failures: readonly string[]
}

/** The only answers allowed: success, "try again later", for a team that it is not known whether it was done, or none at all. */
const RIGHT = new Set(['200', '503 unavailable', 'timeout', 'broken'])

/** The longest time between one success and the next, where that next one came after `since`. All times in milliseconds. */
export function longestPause(
  answers: readonly { answer: string; at: number }[],
  since: number,
): number {
  const times = answers.filter(({ answer }) => answer === '200').map(({ at }) => at)
  const pauses = times
    .toSorted((a, b) => a - b)
    .map((at, i, sorted) => (at < since ? 0 : at - (sorted[i - 1] ?? since)))
  return Math.max(0, ...pauses)
}

/** Whether what was promised held every time; else what did not. */
export function judgeFault({ goalMs, disturbances, undelivered, failures }: PlayedFault): string {
  const wrong = disturbances.flatMap(({ answers }) => answers.filter((each) => !RIGHT.has(each)))
  const lost = total(disturbances.map((each) => each.lost))
  const twice = total(disturbances.map((each) => each.countedTwice))
  const longest = Math.max(...disturbances.map(({ pauseMs }) => pauseMs))
  if (failures.length > 0) return [...new Set(failures)].join('; ')
  if (lost > 0) return `${lost} lost`
  if (twice > 0) return `${twice} counted twice`
  if (undelivered > 0) return `${undelivered} undelivered`
  if (wrong.length > 0) return `callers got ${[...new Set(wrong)].join(', ')}`
  if (goalMs !== null && longest > goalMs) return `took longer than ${seconds(goalMs)}`
  return 'held'
}

/** The titles of the table, for the cells of `faultCells`. */
export const FAULT_TITLES = [
  'fault',
  'times',
  'people',
  'responses',
  'verified again after',
  'goal',
  'sign-ins again after',
  'events again after',
  'undelivered',
  'lost',
  'counted twice',
  'verdict',
]

/** A row of the table. */
export function faultCells(fault: PlayedFault): string[] {
  const { name, goalMs, disturbances } = fault
  const told = tallyAnswers(disturbances.flatMap(({ answers }) => answers))
  return [
    name,
    String(disturbances.length),
    String(total(disturbances.map(({ people }) => people))),
    [...told].map(([answer, n]) => `${answer}: ${n}`).join(', '),
    spread(disturbances.map(({ pauseMs }) => pauseMs)),
    goalMs === null ? '' : `≤ ${seconds(goalMs)}`,
    spread(disturbances.map(({ signInPauseMs }) => signInPauseMs)),
    spread(disturbances.map(({ eventPauseMs }) => eventPauseMs)),
    `${fault.undelivered} of ${total(disturbances.map(({ actions }) => actions.length))}`,
    String(total(disturbances.map(({ lost }) => lost))),
    String(total(disturbances.map(({ countedTwice }) => countedTwice))),
    judgeFault(fault),
  ]
}

/** The median and the longest, or the only one. */
function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const [middle, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  if (middle === undefined || longest === undefined) return ''
  return sorted.length === 1 ? seconds(longest) : `${seconds(middle)}, at most ${seconds(longest)}`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
