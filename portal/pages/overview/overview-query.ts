import { queryOptions } from '@tanstack/react-query'
import { OverviewDocument, RecentCountDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { daysAgo } from '../action/last-days.ts'

/** The number of days for which the overview shows failed payments and counts people. */
export const OVERVIEW_DAYS = 30

/** Reads a team's apps and failed payments. */
export function overviewQuery(team_id: string) {
  return queryOptions({
    queryKey: ['overview', team_id],
    queryFn: ({ signal }) =>
      request(OverviewDocument, { team_id, since: daysAgo(OVERVIEW_DAYS) }, signal),
  })
}

/** Reads how many people verified for the first time recently, and up to which time they are counted. */
export function recentCountQuery(team_id: string) {
  return queryOptions({
    queryKey: ['recent-count', team_id],
    queryFn: async ({ signal }) => {
      const since = daysAgo(OVERVIEW_DAYS)
      const { nullifier_aggregate: people } = await request(
        RecentCountDocument,
        { team_id, since },
        signal,
      )
      const { count = 0, max } = people.aggregate ?? {}
      // `max` comes from the database, since the browser's clock may be wrong. Without people, there is no `max`.
      return { count, countedUntil: max?.created_at ?? since }
    },
  })
}
