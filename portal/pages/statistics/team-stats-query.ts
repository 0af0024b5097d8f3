import { queryOptions } from '@tanstack/react-query'
import { TeamStatsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { type Range, rangeDetails } from './ranges.ts'

/** The beginning of the keys of all figures of a team, or of an action. */
export function teamStatsKey(teamOrActionId: string) {
  return ['team-stats', teamOrActionId]
}

/** Reads how many people verified for the first time in a team, or for an action. */
export function teamStatsQuery(team_id: string, action_id: string | null, range: Range) {
  const { hours, spans } = rangeDetails(range)
  return queryOptions({
    queryKey: [...teamStatsKey(action_id ?? team_id), range],
    queryFn: async ({ signal }) =>
      (await request(TeamStatsDocument, { team_id, action_id, hours, spans }, signal)).team_stats,
  })
}
