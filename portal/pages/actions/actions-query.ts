import { infiniteQueryOptions } from '@tanstack/react-query'
import { ActionsDocument, type ActionsQuery } from '../../graphql/generated/graphql.ts'
import { likePattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'

const PAGE_ROWS = 50

export type ListedAction = ActionsQuery['action'][number]

/** Reads the actions of an app in pages, newest first. */
export function actionsQuery(app_id: string, search: string) {
  return infiniteQueryOptions({
    queryKey: ['actions', app_id, search],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const pattern = { _ilike: likePattern(search) }
      const where = {
        ...(search && { _or: [{ name: pattern }, { action: pattern }] }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _not: { created_at: { _eq: last.created_at }, id: { _gte: last.id } },
        }),
      }
      return (await request(ActionsDocument, { app_id, where, limit: PAGE_ROWS }, signal)).action
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

type PageRequest = { pageParam: ListedAction | null; signal: AbortSignal }
