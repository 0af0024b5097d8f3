import { infiniteQueryOptions } from '@tanstack/react-query'
import { AppsDocument, type AppsQuery } from '../graphql/generated/graphql.ts'
import { likePattern } from '../graphql/like-pattern.ts'
import { request } from '../graphql/request.ts'

const PAGE_ROWS = 50

export type ListedApp = AppsQuery['app'][number]

/** Reads the apps of a team in pages, newest first: those with a text in their name, active or archived. */
export function appsQuery(team_id: string, search = '', isArchived = false) {
  return infiniteQueryOptions({
    queryKey: ['apps', team_id, search, isArchived],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        team_id: { _eq: team_id },
        is_archived: { _eq: isArchived },
        ...(search && { name: { _ilike: likePattern(search) } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _not: { created_at: { _eq: last.created_at }, id: { _gte: last.id } },
        }),
      }
      return (await request(AppsDocument, { where, limit: PAGE_ROWS }, signal)).app
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

type PageRequest = { pageParam: ListedApp | null; signal: AbortSignal }
