import type { TeamStatsQuery } from '../../graphql/generated/graphql.ts'
import { type Range, rangeDetails } from './ranges.ts'

export type TeamStats = TeamStatsQuery['team_stats']

/** An action in the chart, or all other actions together. */
export type Series = { id: string; label: string; persons: number }

/** A bar: the beginning of its span in words, and the people of each series by the series' id. */
export type Bar = { span: string; [seriesId: string]: number | string }

/** The id of the series of all other actions. */
const OTHERS = 'others'
const HOUR_MS = 3_600_000

/** Returns the series of the chart, busiest first, and then all others. */
export function seriesOf({ actions, counts }: TeamStats): Series[] {
  const hasSeveralApps = new Set(actions.map(({ app_id }) => app_id)).size > 1
  const series = actions.map(({ id, name, action, app_name, persons }) => {
    const label = name || action
    return { id, label: hasSeveralApps ? `${label} (${app_name})` : label, persons }
  })
  const others = counts.reduce((sum, count) => sum + (count.action_id ? 0 : count.persons), 0)
  if (others > 0) series.push({ id: OTHERS, label: 'All others', persons: others })
  return series
}

/** Returns the bars of all spans in order, with 0 for series without people. */
export function barsOf(stats: TeamStats, range: Range): Bar[] {
  const { hours, spans } = rangeDetails(range)
  const from = Date.parse(stats.from)
  const zeros = Object.fromEntries(seriesOf(stats).map(({ id }) => [id, 0]))
  const bars: Bar[] = Array.from({ length: spans }, (_, index) => ({
    ...zeros,
    span: nameSpan(from + index * hours * HOUR_MS, hours),
  }))
  for (const { since, action_id, persons } of stats.counts) {
    const bar = bars[Math.round((Date.parse(since) - from) / (hours * HOUR_MS))]
    if (bar) bar[action_id ?? OTHERS] = persons
  }
  return bars
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

function nameSpan(at: number, hours: number): string {
  return (hours < 24 ? HOUR : DAY).format(at)
}
