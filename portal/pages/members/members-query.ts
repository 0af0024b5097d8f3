import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { anyText, type UrlState } from '../../components/url-state/url-parameters.ts'
import {
  InvitesDocument,
  MembersDocument,
  type MembersQuery,
} from '../../graphql/generated/graphql.ts'
import { likePattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'

export type Member = MembersQuery['membership'][number]

/** The parameters of the address of the page. */
export const MEMBERS_PARAMETERS = { search: anyText }

const PAGE_ROWS = 50

/** Reads the members of a team in pages, by the time when they joined; only those whose name or address has the searched text. */
export function membersQuery(team_id: string, { search }: UrlState<typeof MEMBERS_PARAMETERS>) {
  const text = { _ilike: likePattern(search) }
  return infiniteQueryOptions({
    queryKey: ['members', team_id, search],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        ...(search && { user: { _or: [{ name: text }, { email: text }] } }),
        ...(last && {
          created_at: { _gte: last.created_at },
          _or: [{ created_at: { _gt: last.created_at } }, { id: { _gt: last.id } }],
        }),
      }
      return (await request(MembersDocument, { team_id, where, limit: PAGE_ROWS }, signal))
        .membership
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

/** Reads the open invites of a team. Their number has a quota. */
export function invitesQuery(team_id: string) {
  return queryOptions({
    queryKey: ['invites', team_id],
    queryFn: async ({ signal }) => (await request(InvitesDocument, { team_id }, signal)).invite,
  })
}

type PageRequest = { pageParam: Member | null; signal: AbortSignal }
