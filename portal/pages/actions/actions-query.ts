import { infiniteQueryOptions } from '@tanstack/react-query'
import { anyText, oneOf, type UrlState } from '../../components/url-state/url-parameters.ts'
import { ActionsDocument, type ActionsQuery } from '../../graphql/generated/graphql.ts'
import { likePattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'

const PAGE_ROWS = 50

export type ListedAction = ActionsQuery['action'][number]

/** The parameters of the address of the page "Actions". */
export const ACTIONS_PARAMETERS = {
  search: anyText,
  status: oneOf(['all', 'active', 'inactive']),
}

export type ActionsFilter = UrlState<typeof ACTIONS_PARAMETERS>

/** Reads the actions of an app in pages, newest first. */
export function actionsQuery(app_id: string, { search, status }: ActionsFilter) {
  return infiniteQueryOptions({
    queryKey: ['actions', app_id, search, status],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const pattern = { _ilike: likePattern(search) }
      const where = {
        ...(search && { _or: [{ name: pattern }, { action: pattern }] }),
        ...(status !== 'all' && { status: { _eq: status } }),
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
