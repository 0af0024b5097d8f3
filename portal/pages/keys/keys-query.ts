import { infiniteQueryOptions } from '@tanstack/react-query'
import { anyText, type UrlState } from '../../components/url-state/url-parameters.ts'
import { KeysDocument, type KeysQuery } from '../../graphql/generated/graphql.ts'
import { likePattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'

export type Key = KeysQuery['api_key'][number]

/** The parameters of the address of the page. */
export const KEYS_PARAMETERS = { search: anyText }

const PAGE_ROWS = 50

/** Reads the keys of a team in pages, oldest first; only those whose name has the searched text. */
export function keysQuery(team_id: string, { search }: UrlState<typeof KEYS_PARAMETERS>) {
  return infiniteQueryOptions({
    queryKey: ['keys', team_id, search],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        ...(search && { name: { _ilike: likePattern(search) } }),
        ...(last && {
          created_at: { _gte: last.created_at },
          _or: [{ created_at: { _gt: last.created_at } }, { id: { _gt: last.id } }],
        }),
      }
      return (await request(KeysDocument, { team_id, where, limit: PAGE_ROWS }, signal)).api_key
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

type PageRequest = { pageParam: Key | null; signal: AbortSignal }
