import { queryOptions } from '@tanstack/react-query'
import { OverviewDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

/** The number of days for which the overview shows failed payments. */
const FAILED_DAYS = 30
const DAY_MS = 86_400_000

/** Reads a team's apps and failed payments. */
export function overviewQuery(team_id: string) {
  return queryOptions({
    queryKey: ['overview', team_id],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - FAILED_DAYS * DAY_MS).toISOString()
      return request(OverviewDocument, { team_id, since }, signal)
    },
  })
}
