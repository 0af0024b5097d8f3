import { tallyAnswers } from '../verify-people.ts'

/** The effect of one run of a fault on the callers. */
export type Disturbance = {
  people: number
  /** All answers: to verifications, to sign-ins and to the team that creates actions. */
  answers: readonly string[]
  /** The longest time without a successful verification. */
  pauseMs: number
  /** The longest time in which no sign-in could begin. */
  signInPauseMs: number
  /** The longest time in which no event was delivered. */
  eventPauseMs: number
  /** The ids of the actions that the team created. Each creation is an event. */
  actions: readonly string[]
  lost: number
  countedTwice: number
}

/** The results of a fault's runs. A run that has failed has no disturbance, and is the last. */
export type FaultResult = {
  name: string
  goalMs: number | null
  disturbances: readonly Disturbance[]
  /** The number of actions, over all runs, with an event that was not delivered even after the retries. */
  undelivered: number
  failures: readonly string[]
}

/** The only answers allowed: success, "try again later", no response, and `timeout` (the team's change may have been made). */
const ALLOWED_ANSWERS = new Set(['200', '503 unavailable', 'timeout', 'broken'])

/**
 * Finds the longest time between two successes, where the second success is not before `since`. If no success is before it, the
 * time counts from `since`. All times are in ms.
 */
export function findLongestPause(
  answers: readonly { answer: string; at: number }[],
  since: number,
): number {
  const times = answers.filter(({ answer }) => answer === '200').map(({ at }) => at)
  const pauses = times
    .toSorted((a, b) => a - b)
    .map((at, i, sorted) => (at < since ? 0 : at - (sorted[i - 1] ?? since)))
  return Math.max(0, ...pauses)
}

/** Returns `held` if every run kept the promises, or the first broken promise. */
export function judgeFault({ goalMs, disturbances, undelivered, failures }: FaultResult): string {
  const wrong = disturbances.flatMap(({ answers }) =>
    answers.filter((each) => !ALLOWED_ANSWERS.has(each)),
  )
  const lost = sum(disturbances.map((each) => each.lost))
  const twice = sum(disturbances.map((each) => each.countedTwice))
  const longest = Math.max(...disturbances.map(({ pauseMs }) => pauseMs))
  if (failures.length > 0) return [...new Set(failures)].join('; ')
  if (lost > 0) return `${lost} lost`
  if (twice > 0) return `${twice} counted twice`
  if (undelivered > 0) return `${undelivered} undelivered`
  if (wrong.length > 0) return `callers got ${[...new Set(wrong)].join(', ')}`
  if (goalMs !== null && longest > goalMs) return `took longer than ${formatSeconds(goalMs)}`
  return 'held'
}

/** The titles of the table's columns. */
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

/** Returns the cells of a fault's row. */
export function faultCells(fault: FaultResult): string[] {
  const { name, goalMs, disturbances } = fault
  const answerCounts = tallyAnswers(disturbances.flatMap(({ answers }) => answers))
  return [
    name,
    String(disturbances.length),
    String(sum(disturbances.map(({ people }) => people))),
    [...answerCounts].map(([answer, n]) => `${answer}: ${n}`).join(', '),
    formatSpread(disturbances.map(({ pauseMs }) => pauseMs)),
    goalMs === null ? '' : `≤ ${formatSeconds(goalMs)}`,
    formatSpread(disturbances.map(({ signInPauseMs }) => signInPauseMs)),
    formatSpread(disturbances.map(({ eventPauseMs }) => eventPauseMs)),
    `${fault.undelivered} of ${sum(disturbances.map(({ actions }) => actions.length))}`,
    String(sum(disturbances.map(({ lost }) => lost))),
    String(sum(disturbances.map(({ countedTwice }) => countedTwice))),
    judgeFault(fault),
  ]
}

/** Writes the median and the longest time, or the time of the only run. */
function formatSpread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const [middle, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  if (middle === undefined || longest === undefined) return ''
  return sorted.length === 1
    ? formatSeconds(longest)
    : `${formatSeconds(middle)}, at most ${formatSeconds(longest)}`
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
