import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  ActionDocument,
  type ActionQuery,
  ActionStatsDocument,
  PeopleDocument,
  type PeopleQuery,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { fillDays } from './fill-days.ts'
import { lastDays } from './last-days.ts'

/** An action with the fields that its page reads. */
export type Action = NonNullable<ActionQuery['action_by_pk']>

/** Reads an action; null if it does not exist or the user may not see it. */
export function actionQuery(id: string) {
  return queryOptions({
    queryKey: ['action', id],
    queryFn: async ({ signal }) =>
      (await request(ActionDocument, { id }, signal)).action_by_pk ?? null,
  })
}

/** The number of days that the figures of an action's page count. */
export const STATS_DAYS = 30

/** Reads how many people verified for an action for the first time, in total and per day. */
export function actionStatsQuery(action_id: string) {
  return queryOptions({
    queryKey: ['action-stats', action_id],
    queryFn: async ({ signal }) => {
      const { from, period } = lastDays(STATS_DAYS)
      const variables = { action_id, ...period }
      const { action_stats: stats } = await request(ActionStatsDocument, variables, signal)
      return { ...stats, days: fillDays(stats.days, from, STATS_DAYS) }
    },
  })
}

export type Person = PeopleQuery['nullifier'][number]

export const PEOPLE_PAGE_ROWS = 50
/** The most pages of people that the page of an action keeps and draws. If the user shows more, the newest page is dropped. */
export const MAX_PEOPLE_PAGES = 4

/**
 * Reads the people of an action in pages, or the person with a nullifier. Each page begins after the last person of the page
 * before (keyset pagination). So the last page of a million people loads as fast as the first.
 */
export function peopleQuery(action_id: string, nullifierHash?: string) {
  return infiniteQueryOptions({
    queryKey: ['people', action_id, nullifierHash],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        action_id: { _eq: action_id },
        ...(nullifierHash && { nullifier_hash: { _eq: nullifierHash } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [
            { created_at: { _lt: last.created_at } },
            { nullifier_hash: { _lt: last.nullifier_hash } },
          ],
        }),
      }
      return (await request(PeopleDocument, { where, limit: PEOPLE_PAGE_ROWS }, signal)).nullifier
    },
    getNextPageParam: (page) => (page.length < PEOPLE_PAGE_ROWS ? undefined : page.at(-1)),
    getPreviousPageParam: () => undefined,
    maxPages: MAX_PEOPLE_PAGES,
  })
}

type PageRequest = { pageParam: Person | null; signal: AbortSignal }
